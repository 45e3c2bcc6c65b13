// Tests the cost model on graphs that PyTorch made, against durations that another program computed for them.
#include "ccgraph/passes/cost.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/graph_files.h"

#include "support/program_builder.h"

#include <gtest/gtest.h>

#include <limits>

namespace ccgraph {
namespace {

const char *const folders[] = {"ddp_24l_w16",    "fsdp_16l_w8_small", "fsdp_32l_w64", "fsdp_8l_w64",
                               "fsdp_tp_2d_32l", "moe_12l_ep32",      "tp8_sp_32l"};

/// One graph of the suite, with its groups and its durations.
class Suite : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    const std::string folder = std::string(CCGRAPH_TEST_DATA "/suite/") + GetParam();
    graph_ = llvm::cantFail(loadGraph(context_, folder + "/readable.py.gz"));
    llvm::cantFail(addGroups(*graph_, folder + "/facts.json.gz"));
    durations_ = llvm::cantFail(loadDurations(folder + "/durations.tsv.gz"));
  }

  /// Returns all durations, with collectives `links` times and all others `compute` times as long.
  [[nodiscard]] Durations slower(double links, double compute) const {
    Durations result;
    for (const Node *node : *graph_)
      if (const Duration *duration = durations_.find(node->name().str())) {
        const double factor = node->op() && node->op()->collective ? links : compute;
        result.add(node->name().str(), {static_cast<int64_t>(static_cast<double>(duration->picoseconds) * factor)});
      }
    return result;
  }

  Context context_;
  std::unique_ptr<Graph> graph_;
  Durations durations_;
};

std::vector<Node *> collectivesOf(const Graph &graph) {
  std::vector<Node *> result;
  for (Node *node : graph)
    if (node->op() && node->op()->collective)
      result.push_back(node);
  return result;
}

// The durations have six digits, which is the only difference.
TEST_P(Suite, ACopyHasTheSameCosts) {
  const CostModel model(*graph_, *machinePreset("h100x8-ndr"), &durations_);
  std::unique_ptr<Graph> copy = graph_->clone();
  std::unique_ptr<CostModel> same = model.forCopy(*graph_, *copy);
  for (const Node *node : *graph_)
    ASSERT_EQ(same->estimatedTime(*copy->find(node->name())), model.estimatedTime(*node)) << node->name().str().str();
}

TEST_P(Suite, CollectivesArePricedAsItsDurationsAre) {
  const CostModel model(*graph_, *machinePreset("h100x8-ndr"));
  const std::vector<Node *> collectives = collectivesOf(*graph_);
  ASSERT_FALSE(collectives.empty());
  for (const Node *node : collectives) {
    const auto expected = static_cast<double>(durations_.find(node->name().str())->picoseconds);
    EXPECT_NEAR(static_cast<double>(model.estimatedTime(*node).picoseconds), expected, 60 + expected * 1e-5)
        << node->name().str().str();
    EXPECT_EQ(model.estimatedTime(*node).source, TimeSource::Predicted);
  }
}

TEST_P(Suite, DurationsComeFirst) {
  const CostModel model(*graph_, *machinePreset("a100x8"), &durations_);
  for (const Node *node : *graph_) {
    const Duration *duration = durations_.find(node->name().str());
    EXPECT_EQ(model.estimatedTime(*node), (EstimatedTime{duration->picoseconds, TimeSource::Measured}))
        << node->name().str().str();
  }
}

// The estimated time of a new node is that of the durations' machine, whichever machine is named.
TEST_P(Suite, DurationsOfAnotherMachineScaleWhatIsNew) {
  const Machine machine = *machinePreset("h100x8-ndr");
  const CostModel plain(*graph_, machine);
  const Durations slow = slower(2, .5);
  const CostModel scaled(*graph_, machine, &slow);
  for (const Node *node : collectivesOf(*graph_))
    for (int64_t bytes : {int64_t(1) << 12, int64_t(1) << 24, int64_t(1) << 30})
      EXPECT_NEAR(static_cast<double>(scaled.collective(*node, bytes)) /
                      static_cast<double>(plain.collective(*node, bytes)),
                  2, 1e-3);
  EXPECT_NEAR(static_cast<double>(scaled.copy(1 << 30)) / static_cast<double>(plain.copy(1 << 30)), .5, 1e-3);
  EXPECT_NEAR(scaled.summary().operations.factor, .5, 1e-3);
}

// Reductions that take three times as long do not affect gathers.
TEST_P(Suite, EachKindOfCollectiveIsScaledByItself) {
  const Machine machine = *machinePreset("h100x8-ndr");
  const CostModel plain(*graph_, machine);
  Durations changed;
  std::array<size_t, 16> kinds = {};
  for (const Node *node : collectivesOf(*graph_)) {
    const CollectiveKind kind = node->op()->collective->kind;
    ++kinds[static_cast<size_t>(kind)];
    changed.add(node->name().str(),
                {plain.estimatedTime(*node).picoseconds * (kind == CollectiveKind::AllGather ? 1 : 3)});
  }
  const CostModel scaled(*graph_, machine, &changed);
  for (const Node *node : collectivesOf(*graph_)) {
    const CollectiveKind kind = node->op()->collective->kind;
    const double factor = kind == CollectiveKind::AllGather ? 1 : 3;
    if (kinds[static_cast<size_t>(kind)] >= 4) {
      EXPECT_NEAR(static_cast<double>(scaled.collective(*node, 1 << 24)) /
                      static_cast<double>(plain.collective(*node, 1 << 24)),
                  factor, 1e-3);
    }
  }
}

// A node may be renamed, or get the name of another node; a node that is made later is never identified with a timed
// node.
TEST_P(Suite, NamesThatAreGivenAgainMeanNothing) {
  const CostModel model(*graph_, *machinePreset("h100x8-ndr"), &durations_);
  Node *timed = nullptr;
  for (Node *node : *graph_)
    if (node->target() == context_.identifier("prims.convert_element_type.default"))
      timed = node;
  ASSERT_NE(timed, nullptr);
  const std::string name = timed->name().str().str();
  graph_->rename(timed, "renamed");
  EXPECT_EQ(model.estimatedTime(*timed).source, TimeSource::Measured);
  const NodeSpec spec{.name = name, .target = timed->target(), .type = timed->type()};
  ArgumentBuilder builder(*graph_);
  const Argument operand = builder.operand(timed->operand(0));
  Node *made = graph_->create(spec, std::move(builder), {.positional = operand});
  ASSERT_EQ(made->name().str(), name);
  EXPECT_EQ(model.estimatedTime(*made).source, TimeSource::Predicted);
}

INSTANTIATE_TEST_SUITE_P(All, Suite, testing::ValuesIn(folders),
                         [](const auto &info) { return std::string(info.param); });

TEST(CostModel, PricesAGroupOfAnyStatedSize) {
  Context context;
  Graph graph(context);
  GraphBuilder builder(graph);
  Node *x = builder.input("x", builder.tensor(DType::F32, {4}));
  Node *gather = builder.call("_c10d_functional.all_gather_into_tensor.default",
                              {x, std::numeric_limits<int64_t>::max(), "0"}, builder.tensor(DType::F32, {4}));
  builder.output({gather});
  for (const char *machine : {"h100x8-ndr", "a100x8"})
    EXPECT_GE(CostModel(graph, *machinePreset(machine)).collective(*gather, 1 << 24), 0) << machine;
}

// The host must wait for a number from a tensor, and for a size that depends on values; a known size does not make it
// wait again.
TEST(HostReads, CostTheTimeForWhichTheStreamRunsDry) {
  Context context;
  Graph graph(context);
  test::ProgramBuilder program(graph);
  const Dim told(context.symbolic("u0"));
  const Type *found = context.contiguousTensor(DType::I64, {told, Dim(1)}, {});
  Node *x = program.input("x", program.tensor(DType::I64, {64}));
  Node *item = program.call("aten._local_scalar_dense.default", context.symbolicScalar(context.symbolic("u1")), {x});
  Node *nonzero = program.call("aten.nonzero.default", found, {x});
  Node *twice = program.call("aten.neg.default", found, {nonzero});
  program.output({item, twice});
  Machine machine = *machinePreset(defaultMachine), patient = machine;
  patient.hostReadsStall = false;
  const CostModel stalls(graph, machine), goesOn(graph, patient);
  auto stallAt = [&](const Node *node) {
    return stalls.estimatedTime(*node).picoseconds - goesOn.estimatedTime(*node).picoseconds;
  };
  EXPECT_EQ(stallAt(item), machine.hostReadPs);
  EXPECT_EQ(stallAt(nonzero), machine.hostReadPs);
  EXPECT_EQ(stallAt(twice), 0);
  EXPECT_GT(machine.hostReadPs, 0);
}

// A copy takes the latency of the link and the time of its bytes in either direction, and none of the bandwidth of
// memory or collectives.
TEST(HostCopies, TakeTheTimeOfTheLink) {
  Context context;
  Graph graph(context);
  test::ProgramBuilder program(graph);
  const Type *type = program.f32({1000, 1000});
  Node *v = program.call("aten.neg.default", type, {program.input("x", type)});
  Node *offload = program.call("ao.offload.default", type, {v});
  Node *host = program.call("ao.wait_tensor.default", type, {offload, v});
  Node *reload = program.call("ao.reload.default", type, {host, Actual::literal(Argument::device(type->device()))});
  program.output({program.call("ao.wait_tensor.default", type, {reload, host})});
  Machine machine = *machinePreset(defaultMachine);
  const CostModel without(graph, machine);
  EXPECT_EQ(without.estimatedTime(*offload).source, TimeSource::Unknown);
  machine.hostLink = {.bytesPerSecond = 25'000'000'000, .latencyPs = 10'000'000};
  const CostModel costs(graph, machine);
  constexpr int64_t bytes = 4'000'000, picoseconds = 10'000'000 + 160'000'000;
  EXPECT_EQ(costs.hostCopy(bytes), picoseconds);
  for (const Node *copy : {offload, reload}) {
    EXPECT_EQ(costs.estimatedTime(*copy).picoseconds, picoseconds);
    EXPECT_EQ(costs.estimatedTime(*copy).source, TimeSource::Predicted);
  }
  EXPECT_EQ(costs.estimatedTime(*host).picoseconds, 0);
}

/// On a machine with 132 multiprocessors, a product of 8,192 rows and 1,792 columns has 64 x 14 tiles, which take 7
/// waves. Its half has 32 x 14, which take 4. Pieces of 28 and 36 tiles in height take 3 and 4 waves.
TEST(CostModelTest, TheLastWaveOfAPartOfAProductCountsWhole) {
  Context context;
  Graph graph(context);
  GraphBuilder builder(graph);
  Node *x = builder.input("x", builder.tensor(DType::BF16, {8192, 4096}));
  Node *b = builder.input("b", builder.tensor(DType::BF16, {4096, 1792}));
  Node *p = builder.call("aten.mm.default", {x, b});
  Node *output = builder.output({p});
  const CostModel model(graph, *machinePreset("h100x8"));
  const int64_t launch = model.machine().processor.launchPs;
  const auto whole = static_cast<double>(model.estimatedTime(*p).picoseconds);
  auto work = [&](int64_t rows) { return static_cast<double>(model.rowsOfProduct(*p, rows) - launch); };
  EXPECT_NEAR(work(8192), whole, 1);
  EXPECT_NEAR(work(4096), whole * 4 / 7, 1);
  EXPECT_NEAR(work(3584) + work(4608), whole, 1);
  EXPECT_EQ(model.rowsOfProduct(*output, 8), 0);

  // A later product that names this one as its origin is a part of it.
  builder.setPosition(output);
  builder.standFor({p});
  Node *rows = builder.call("aten.slice.Tensor", {x, 0, 0, 4096});
  Node *part = builder.call("aten.mm.default", {rows, b});
  EXPECT_EQ(model.estimatedTime(*part).picoseconds, model.rowsOfProduct(*p, 4096));
}

// The H100's peak of float8 is twice that of bfloat16, and so is the rate of a product of float8 numbers.
TEST(CostModelTest, ProductsOfFloat8HaveThePeakOfFloat8) {
  Context context;
  Graph graph(context);
  GraphBuilder builder(graph);
  auto input = [&](llvm::StringRef name, DType dtype, llvm::ArrayRef<int64_t> sizes) {
    return builder.input(name, builder.tensor(dtype, sizes));
  };
  const std::vector<int64_t> sizes = {8192, 8192};
  Node *scale = input("scale", DType::F32, {});
  Node *wide = builder.call("aten.mm.default", {input("a", DType::BF16, sizes), input("b", DType::BF16, sizes)});
  Node *narrow = builder.call("aten._scaled_mm.default",
                              {input("c", DType::F8E4M3FN, sizes), input("d", DType::F8E4M3FN, sizes), scale, scale});
  builder.output({wide, narrow});
  const CostModel model(graph, *machinePreset("h100x8"));
  const int64_t launch = model.machine().processor.launchPs;
  auto time = [&](const Node *node) { return static_cast<double>(model.estimatedTime(*node).picoseconds - launch); };
  EXPECT_NEAR(time(wide) / time(narrow), 1979.0 / 989, 0.01);
}

/// exp and neg of x in one kernel, and a node that repeats neg, which was created later and precedes it.
class Repetition : public testing::Test {
protected:
  Repetition() {
    x_ = builder_.input("x", builder_.tensor(DType::F32, {4096, 4096}));
    first_ = builder_.call("aten.exp.default", {x_});
    repeated_ = builder_.call("aten.neg.default", {first_});
    output_ = builder_.output({repeated_});
    durations_.add("exp", {7'000'000});
    durations_.add("neg", {5'000'000});
    model_.emplace(graph_, *machinePreset("h100x8"), &durations_);
    builder_.setPosition(repeated_);
    builder_.standFor({repeated_});
    again_ = builder_.call("aten.neg.default", {first_});
  }

  Context context_;
  Graph graph_{context_};
  GraphBuilder builder_{graph_};
  Durations durations_;
  Node *x_ = nullptr, *first_ = nullptr, *repeated_ = nullptr, *again_ = nullptr, *output_ = nullptr;
  std::optional<CostModel> model_;
};

TEST_F(Repetition, HasTheSameCostInACopy) {
  builder_.setPosition(output_);
  Node *last = builder_.call("aten.neg.default", {first_});
  std::unique_ptr<Graph> copy = graph_.clone();
  std::unique_ptr<CostModel> same = model_->forCopy(graph_, *copy);
  for (const Node *node : {first_, repeated_, again_, last})
    EXPECT_EQ(same->estimatedTime(*copy->find(node->name())), model_->estimatedTime(*node)) << node->name().str().str();
  EXPECT_NE(model_->estimatedTime(*again_), model_->estimatedTime(*repeated_));
}

TEST_F(Repetition, HasTheSameCostInACopyOfACopyOnceTheRepeatedNodeIsGone) {
  const EstimatedTime before = model_->estimatedTime(*again_);
  model_->keepCosts(graph_);
  graph_.replaceAllUses(repeated_, again_);
  graph_.erase(repeated_);
  std::unique_ptr<Graph> copy = graph_.clone();
  std::unique_ptr<CostModel> same = model_->forCopy(graph_, *copy);
  std::unique_ptr<Graph> second = copy->clone();
  EXPECT_EQ(same->forCopy(*copy, *second)->estimatedTime(*second->find(again_->name())), before);
}

TEST_F(Repetition, CostsAsMuchOnceTheRepeatedNodeIsGone) {
  const EstimatedTime before = model_->estimatedTime(*again_);
  model_->keepCosts(graph_);
  graph_.replaceAllUses(repeated_, again_);
  graph_.erase(repeated_);
  EXPECT_EQ(model_->estimatedTime(*again_), before);
}

// The time of a part of a fused kernel is its share of the kernel, which a repetition is no part of.
TEST(CostModelTest, ARepetitionIsAKernelOfItsOwn) {
  Context context;
  Graph graph(context);
  GraphBuilder builder(graph);
  Node *x = builder.input("x", builder.tensor(DType::F32, {4096, 4096}));
  Node *a = builder.call("aten.exp.default", {x});
  Node *b = builder.call("aten.neg.default", {a});
  Node *output = builder.output({b});
  const Machine machine = *machinePreset("h100x8");
  auto priceAgain = [&](const Durations *durations, Node *of) {
    const CostModel model(graph, machine, durations);
    builder.setPosition(output);
    builder.standFor({of});
    Node *again = builder.call(of->target().str(), {of->operand(0)});
    const int64_t price = model.estimatedTime(*again).picoseconds;
    graph.erase(again);
    return price;
  };
  const CostModel model(graph, machine);
  constexpr int64_t bytes = int64_t{4096} * 4096 * 4;
  const int64_t alone = model.copy(2 * bytes); // read and written
  EXPECT_LT(model.estimatedTime(*a).picoseconds, alone) << "its result stays in the kernel";
  EXPECT_EQ(priceAgain(nullptr, a), alone);

  Durations durations;
  durations.add("exp", {7'000'000});
  durations.add("neg", {0});
  EXPECT_EQ(priceAgain(&durations, a), 7'000'000 + machine.processor.launchPs);
  EXPECT_GT(priceAgain(&durations, b), 0) << "a call without a time of its own is free";
}

TEST(CostModelTest, AMachineOfLinearRulesHasNoTiles) {
  Context context;
  Graph graph(context);
  GraphBuilder builder(graph);
  Node *x = builder.input("x", builder.tensor(DType::F32, {300, 64}));
  Node *p = builder.call("aten.mm.default", {x, builder.input("b", builder.tensor(DType::F32, {64, 64}))});
  builder.output({p});
  const CostModel model(graph, *machinePreset("cpu"));
  const int64_t launch = model.machine().processor.launchPs;
  EXPECT_NEAR(static_cast<double>(model.rowsOfProduct(*p, 100) - launch),
              static_cast<double>(model.estimatedTime(*p).picoseconds) / 3, 1);
}

} // namespace
} // namespace ccgraph
