// Tests that the ranks of a pipeline compute what one rank computes from all microbatches, for each schedule.
#include "small_model.h"

#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/ir/pipeline_verifier.h"
#include "ccgraph/ir/verifier.h"
#include "models/pipeline_schedules.h"
#include "models/pipeline_step.h"
#include "support/rank_program.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ccgraph::test {
namespace {

using models::GenerateRequest;
using models::PipelineKind;
using models::PipelineRequest;

constexpr int64_t batchOfMicrobatch = 1;

struct PipelineCase {
  std::string name;
  PipelineRequest pipeline;
  int64_t shards = 1;
  models::Recompute recompute = models::Recompute::None;
  models::Optimizer optimizer = models::Optimizer::None;
};

const PipelineCase cases[] = {
    {"gpipe", {PipelineKind::GPipe, 4, 0, 4}},
    {"one_forward_one_backward", {PipelineKind::OneForwardOneBackward, 4, 0, 6}},
    {"one_forward_one_backward_fsdp", {PipelineKind::OneForwardOneBackward, 2, 0, 3}, 2},
    {"interleaved", {PipelineKind::Interleaved, 2, 3, 4}},
    {"zbv", {PipelineKind::ZeroBubbleV, 3, 0, 6}},
    {"zbv_of_few_microbatches", {PipelineKind::ZeroBubbleV, 3, 0, 2}},
    {"zbv_fsdp", {PipelineKind::ZeroBubbleV, 2, 0, 4}, 2},
    {"dualpipe", {PipelineKind::DualPipeV, 3, 0, 7}},
    {"one_forward_one_backward_full", {PipelineKind::OneForwardOneBackward, 2, 0, 3}, 2, models::Recompute::Full},
    {"interleaved_selective", {PipelineKind::Interleaved, 2, 2, 4}, 1, models::Recompute::Selective},
    {"zbv_full", {PipelineKind::ZeroBubbleV, 2, 0, 4}, 1, models::Recompute::Full},
    {"zbv_sgd_clipped", {PipelineKind::ZeroBubbleV, 2, 0, 4}, 2, models::Recompute::None, models::Optimizer::Sgd},
};

GenerateRequest requestOf(const PipelineCase &of) {
  GenerateRequest request{.model = smallConfig("llama3-8b"),
                          .parallel = {.shards = of.shards, .pipeline = of.pipeline.ranks},
                          .shape = {.sequence = 8, .batch = batchOfMicrobatch},
                          .dtype = DType::F32,
                          .device = "cpu",
                          .optimizer = of.optimizer,
                          .recompute = {of.recompute}};
  request.model.layers = 7;
  if (of.optimizer != models::Optimizer::None) {
    request.part = models::Part::Step;
    request.clipNorm = 0.01; // below the norm of the gradients
  }
  return request;
}

/// All ranks of a pipeline, with the parts of the whole model's inputs that each needs.
class PipelineJob {
public:
  PipelineJob(const PipelineCase &of, const TensorMap &whole) : case_(of) {
    schedule_ = withTransfers(llvm::cantFail(models::makePipelineSchedule(of.pipeline)));
    for (int64_t rank = 0; rank != of.pipeline.ranks; ++rank) {
      graphs_.push_back(llvm::cantFail(models::generatePipelineRank(context_, requestOf(of), schedule_, rank)));
      llvm::cantFail(verifyOrError(*graphs_.back()));
    }
    run_.ranks = static_cast<size_t>(of.pipeline.ranks * of.shards);
    for (size_t rank = 0; rank != run_.ranks; ++rank) {
      run_.graphs.push_back(&graph(rank));
      TensorMap &inputs = run_.inputs.emplace_back();
      for (const Node *node : graph(rank))
        if (node->opcode() == Opcode::Placeholder)
          addInput(inputs, *node, whole, rank);
    }
  }

  [[nodiscard]] size_t ranks() const { return run_.ranks; }
  [[nodiscard]] const Graph &graph(size_t rank) const { return *graphs_[rank / static_cast<size_t>(case_.shards)]; }
  [[nodiscard]] bool hasLoss(size_t rank) const {
    return llvm::any_of(graph(rank), [](const Node *node) { return node->name().str() == "targets_0"; });
  }
  [[nodiscard]] runtime::RunResult run() const { return llvm::cantFail(runtime::interpret(run_)); }
  /// Returns this rank's rows of a parameter or of its gradient.
  [[nodiscard]] Numbers partOf(const Node &placeholder, const Numbers &whole, size_t rank) const {
    int64_t rows = staticDims(placeholder.type()->sizes())->front();
    return whole.rowsFrom(shardOf(rank) * rows, rows);
  }

private:
  [[nodiscard]] int64_t shardOf(size_t rank) const { return static_cast<int64_t>(rank) % case_.shards; }

  void addInput(TensorMap &inputs, const Node &node, const TensorMap &whole, size_t rank) const {
    auto [name, number] = node.name().str().rsplit('_');
    bool isData = name == "tokens" || name == "targets";
    const HostTensor &tensor = whole.at("in." + (isData ? name : node.name().str()).str());
    if (tensor.sizes.empty()) {
      inputs["in." + node.name().str().str()] = tensor;
      return;
    }
    Numbers all{{tensor.sizes.begin(), tensor.sizes.end()}, numbersOf(tensor)};
    int64_t microbatch = 0;
    if (isData)
      (void)number.getAsInteger(10, microbatch);
    int64_t first = (shardOf(rank) * schedule_.microbatches + microbatch) * batchOfMicrobatch;
    Numbers part = isData ? all.rowsFrom(first, batchOfMicrobatch) : partOf(node, all, rank);
    inputs["in." + node.name().str().str()] = hostTensor(tensor.dtype, part.sizes, part.values);
  }

  const PipelineCase &case_;
  Context context_;
  PipelineSchedule schedule_;
  std::vector<std::unique_ptr<Graph>> graphs_;
  runtime::RunRequest run_;
};

class PipelineTest : public testing::TestWithParam<PipelineCase> {};

} // namespace

TEST_P(PipelineTest, ComputesWhatOneRankDoes) {
  const PipelineCase &of = GetParam();
  GenerateRequest alone = requestOf(of);
  alone.parallel = {};
  alone.shape.batch = of.pipeline.numMicrobatches() * batchOfMicrobatch * of.shards;
  SmallModel one(alone);
  auto expected = one.run().front();
  PipelineJob job(of, one.request().inputs.front());
  runtime::RunResult got = job.run();
  double loss = 0;
  size_t compared = 0;
  for (size_t rank = 0; rank != job.ranks(); ++rank) {
    size_t output = 0;
    if (job.hasLoss(rank))
      loss += numbersOf(got[rank].at("out." + std::to_string(output++))).front();
    for (const Node *node : job.graph(rank)) {
      auto gradient = expected.find(node->name().str().str());
      if (node->opcode() != Opcode::Placeholder || gradient == expected.end())
        continue;
      Numbers part = job.partOf(*node, gradient->second, rank);
      std::vector<double> numbers = numbersOf(got[rank].at("out." + std::to_string(output++)));
      ASSERT_EQ(numbers.size(), part.values.size());
      for (size_t i = 0; i != numbers.size(); ++i)
        ASSERT_NEAR(numbers[i], part.values[i], 2e-5) << gradient->first << " of rank " << rank;
      ++compared;
    }
  }
  EXPECT_NEAR(loss, expected.at("loss").values.front(), 2e-5);
  EXPECT_EQ(compared, one.parameterNames().size() * static_cast<size_t>(of.shards));
}

INSTANTIATE_TEST_SUITE_P(All, PipelineTest, testing::ValuesIn(cases),
                         [](const auto &instance) { return instance.param.name; });

namespace {

std::string errorOf(GenerateRequest request, const PipelineRequest &pipeline) {
  Context context;
  PipelineSchedule schedule = withTransfers(llvm::cantFail(models::makePipelineSchedule(pipeline)));
  auto graph = models::generatePipelineRank(context, request, schedule, 0);
  return graph ? "none" : llvm::toString(graph.takeError());
}

} // namespace

TEST(PipelineActionKind, SplitBackwardsRunTheWeightsAtTheirPlace) {
  PipelineCase of{"", {PipelineKind::ZeroBubbleV, 2, 0, 4}};
  Context context;
  PipelineSchedule schedule = withTransfers(llvm::cantFail(models::makePipelineSchedule(of.pipeline)));
  auto split = llvm::cantFail(models::generatePipelineRank(context, requestOf(of), schedule, 1));
  // Rank 1 computes 1I2, 2I3 and 1I3 before 1W2: the gradients of stage 1's weights for microbatch 2 stand behind the
  // last transfer of a gradient.
  const Node *lastSend = nullptr;
  size_t productsAfter = 0;
  for (const Node *node : *split) {
    if (node->target().str() == "_c10d_functional.batch_p2p_ops.default")
      lastSend = node;
  }
  for (const Node *node = lastSend; node; node = node->next())
    productsAfter += node->target().str() == "aten.mm.default";
  EXPECT_GT(productsAfter, 0U);
}

// A rank holds the inputs of its layers for each microbatch in flight, and all values of one layer at a time.
TEST(PipelineActionKind, RecomputationNeedsLessMemory) {
  auto peak = [](models::Recompute recompute) {
    PipelineCase of{"", {PipelineKind::OneForwardOneBackward, 2, 0, 4}, 1, recompute};
    GenerateRequest request = requestOf(of);
    request.shape.sequence = 512;
    Context context;
    PipelineSchedule schedule = withTransfers(llvm::cantFail(models::makePipelineSchedule(of.pipeline)));
    return peakMemory(*llvm::cantFail(models::generatePipelineRank(context, request, schedule, 0))).bytes;
  };
  EXPECT_LT(peak(models::Recompute::Full) * 2, peak(models::Recompute::None));
}

TEST(PipelineActionKind, RefusesWhatCannotBeCut) {
  PipelineRequest pipeline{PipelineKind::OneForwardOneBackward, 4, 0, 4};
  GenerateRequest request = requestOf({"", pipeline});
  GenerateRequest few = request, tied = request, part = request, chunks = request, hook = request;
  few.model.layers = 3;
  tied.model.tied = 1;
  part.part = models::Part::Forward;
  chunks.shape.lossChunks = 2;
  hook.parallel.replicas = 2;
  hook.hook = "allreduce";
  EXPECT_EQ(errorOf(hook, pipeline), "error: llama3-8b: --hook with --pp, expected gradients without buckets "
                                     "[gen.pipeline]\n  note: leave --hook out: each gradient is reduced once, after "
                                     "the last microbatch\n");
  EXPECT_EQ(errorOf(few, pipeline),
            "error: llama3-8b: 3 layers for 4 stages, expected at least one layer for each stage [gen.pipeline]\n"
            "  note: --layers adds layers, --pp and --stages-per-rank multiply to the stages\n");
  EXPECT_EQ(errorOf(tied, pipeline),
            "error: llama3-8b: the output matrix is the embedding, which the first and the last stage would share; "
            "expected a model without tied weights [gen.pipeline]\n"
            "  note: \"tied\": 0 in a --config file unties them\n");
  EXPECT_EQ(errorOf(part, pipeline),
            "error: llama3-8b: one part with --pp, expected --part joint or step [gen.pipeline]\n"
            "  note: a rank's program contains forward and backward of all its microbatches\n");
  EXPECT_EQ(errorOf(chunks, pipeline), "error: llama3-8b: --loss-chunks with --pp, expected whole losses "
                                       "[gen.pipeline]\n  note: use more --microbatches instead\n");
}

} // namespace ccgraph::test
