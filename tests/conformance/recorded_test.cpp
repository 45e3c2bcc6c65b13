// Runs every captured program with recorded values that can be lowered, by plan: unchanged, after -O2, merged into flat
// buckets, and with one stream for all groups.
#include "conformance/engine_under_test.h"
#include "support/recorded.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/fixed_outputs.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// Returns one plan for each graph. Returns none if lowering refuses one.
std::vector<std::unique_ptr<Plan>> plansOf(const LoadedProgram &program, const Pipeline &pipeline, size_t streams) {
  std::vector<std::unique_ptr<Plan>> plans;
  PassManagerOptions options;
  options.spmd = program.graphs.size() == 1;
  for (const auto &graph : program.graphs) {
    std::unique_ptr<Graph> copy = graph->clone();
    llvm::cantFail(runPipeline(*copy, pipeline, options));
    llvm::Expected<std::unique_ptr<Plan>> plan =
        lowerGraph(*copy, {.objects = program.request.objects, .streams = streams});
    if (!plan) {
      llvm::consumeError(plan.takeError());
      return {};
    }
    if (program.graphs.size() == 1)
      (*plan)->rank.reset();
    plans.push_back(std::move(*plan));
  }
  return plans;
}

/// Returns "" if the outputs that this process receives are the recorded ones.
std::string problemOf(const LoadedProgram &program, const runtime::RunResult &results) {
  std::vector<TensorMap> recorded = program.request.inputs;
  for (size_t rank = 0; rank < recorded.size(); ++rank)
    if (!sees(rank))
      recorded[rank].clear();
  runtime::ComparisonRules rules = program.rules;
  rules.fixed = runtime::fixedOutputs(*program.graphs.front());
  runtime::Comparison comparison = runtime::compareRuns({recorded, results, recorded}, rules);
  if (comparison.equal())
    return "";
  const runtime::Difference &first = comparison.differences.front();
  return "rank " + std::to_string(first.rank) + " " + first.output + ": " + first.message;
}

/// Inductor's pooling has no entry in PyTorch's dispatcher, so PyTorch's kernels alone cannot run it.
bool hasKernels(const LoadedProgram &program) {
  auto pools = [](const Node &node) {
    return node.target() && node.target().str().startswith("prims._low_memory_max_pool");
  };
  return llvm::is_contained(kernelsUnderTest(), "builtin") || llvm::none_of(program.graphs, [&](const auto &graph) {
           return llvm::any_of(*graph, [&](const Node *node) { return pools(*node); });
         });
}

/// The run must be refused before the first step, with the operator's name.
void expectRefused(const runtime::PlanRequest &request) {
  llvm::Expected<runtime::RunResult> results = runtime::runPlans(engineUnderTest(), request);
  ASSERT_FALSE(static_cast<bool>(results));
  std::string refusal = "no kernel of " + llvm::join(kernelsUnderTest(), ", ") + " computes prims._low_memory_max_pool";
  EXPECT_NE(llvm::toString(results.takeError()).find(refusal), std::string::npos);
}

struct Way {
  const char *name;
  /// as for --pipeline; O2 means -O2
  const char *pipeline;
  size_t streams = 0;
};

class Recorded : public testing::TestWithParam<Way> {};

TEST_P(Recorded, ValuesAreReproduced) {
  const Way &way = GetParam();
  Pipeline pipeline =
      llvm::StringRef(way.pipeline) == "O2" ? pipelineOfLevel(2) : llvm::cantFail(Pipeline::parse(way.pipeline));
  size_t runs = 0;
  for (const RecordedProgram &program : recordedPrograms())
    for (const std::string &values : program.values) {
      Context context;
      LoadedProgram loaded = llvm::cantFail(load(context, program, values));
      if (!runsRanks(loaded.request.ranks))
        continue;
      std::vector<std::unique_ptr<Plan>> plans = plansOf(loaded, pipeline, way.streams);
      if (plans.empty())
        continue;
      runtime::PlanRequest request{.ranks = loaded.request.ranks, .inputs = loaded.request.inputs};
      for (const auto &plan : plans)
        request.plans.push_back(plan.get());
      request.kernels = kernelsUnderTest();
      if (!hasKernels(loaded)) {
        expectRefused(request);
        continue;
      }
      EXPECT_EQ(problemOf(loaded, mustRun(request)), "") << program.name;
      ++runs;
    }
  EXPECT_TRUE(runs > 20 || engineUnderTest().isSpread()) << "too few programs are lowered: " << runs;
  RecordProperty("programs", static_cast<int>(runs));
}

INSTANTIATE_TEST_SUITE_P(Pipelines, Recorded,
                         testing::Values(Way{"asItStands", ""}, Way{"O2", "O2"},
                                         Way{"flat", "coalesce-collectives{layout=flat}"}, Way{"oneStream", "O2", 1}),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace ccgraph::test
