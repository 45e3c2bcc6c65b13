// Tests a plan whose symbols get other values than those for which it was made: it must be laid out anew, verified, and
// cached.
#include "engine/layout_cache.h"
#include "support/plan_builder.h"
#include "support/rank_program.h"

#include "ccgraph/ir/plan_layout.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/toolkit/group_assumption.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *sized = R"py(s0: "Sym(s0)", x: "f32[s0, 8][8, 1]cpu"
  a: "f32[s0, 8][8, 1]cpu" = aten.relu.default(x)
  c: "f32[s0, 8][8, 1]cpu" = _c10d_functional.all_reduce.default(a, 'sum', '0')
  t: "f32[8, s0][1, 8]cpu" = aten.t.default(a)
  b: "f32[s0, s0][s0, 1]cpu" = aten.mm.default(a, t)
  d: "f32[s0, s0][s0, 1]cpu" = aten.mm.default(b, b)
  e: "f32[s0, 8][8, 1]cpu" = aten.mm.default(d, a)
  w: "f32[s0, 8][8, 1]cpu" = _c10d_functional.wait_tensor.default(c)
  f: "f32[s0, 8][8, 1]cpu" = aten.add.Tensor(e, w)
  g: "f32[8, 8][8, 1]cpu" = aten.mm.default(t, f)
  return (g, f))py";

constexpr size_t numRanks = 2;

/// A program and its plan for s0 = 3.
struct Sized {
  Context context;
  std::unique_ptr<Graph> graph = programGraph(context, sized);
  std::unique_ptr<Plan> plan;

  Sized() {
    assumeGroups(*graph, numRanks);
    llvm::Expected<std::unique_ptr<Plan>> lowered = lowerGraph(*graph, {.symbols = {{"s0", 3}}});
    if (!lowered)
      llvm::report_fatal_error(lowered.takeError());
    plan = std::move(*lowered);
  }

  [[nodiscard]] std::vector<std::pair<Identifier, int64_t>> binding(int64_t value) {
    return {{context.identifier("s0"), value}};
  }
};

std::vector<TensorMap> inputs(int64_t s0) {
  std::vector<TensorMap> inputs;
  for (size_t rank = 0; rank < numRanks; ++rank) {
    std::vector<double> values(static_cast<size_t>(s0) * 8);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<double>((i * 7 + rank * 3) % 11) - 5;
    inputs.push_back({{"in.s0", hostTensor(DType::I64, {}, {static_cast<double>(s0)})},
                      {"in.x", hostTensor(DType::F32, {s0, 8}, values)}});
  }
  return inputs;
}

/// Returns the findings except for waits that are redundant in this layout.
std::string findingsOf(const Plan &plan, const PlanLayout &layout) {
  std::vector<Diagnostic> findings = verifyPlan(plan, {.layout = &layout});
  llvm::erase_if(findings, [](const Diagnostic &finding) { return finding.rule == "plan.waits"; });
  return toString(findings);
}

int64_t bytesApart(const Plan &plan, const PlanLayout &layout) {
  int64_t bytes = 0;
  for (const PlanBuffer &buffer : plan.buffers)
    if (buffer.home == Home::Compute)
      bytes += *buffer.bytes.evaluate(symbolsOf(layout));
  return bytes;
}

TEST(PlanLayouts, AnotherBindingIsLaidOutAndVerifies) {
  Sized program;
  for (int64_t s0 : {1, 2, 3, 8, 100}) {
    llvm::Expected<PlanLayout> layout = layOutFor(*program.plan, program.binding(s0));
    ASSERT_TRUE(static_cast<bool>(layout)) << llvm::toString(layout.takeError());
    EXPECT_EQ(findingsOf(*program.plan, *layout), "") << s0;
    EXPECT_GE(layout->computeBytes, layout->liveBytes) << s0;
    EXPECT_EQ(layout->symbols, program.binding(s0));
  }
}

TEST(PlanLayouts, BuffersTakeTurnsWhereThePlanOrdersTheirUses) {
  Sized program;
  PlanLayout layout = llvm::cantFail(layOutFor(*program.plan, program.binding(100)));
  EXPECT_LT(layout.computeBytes, bytesApart(*program.plan, layout));
}

TEST(PlanLayouts, ASizeThatIsNoNumberIsAnError) {
  PlanBuilder b;
  Dim size(b.context.symbolic("4*s0 - 16")), sizes[] = {Dim(b.context.symbolic("s0 - 4"))}, strides[] = {Dim(1)};
  b.rawBuffer(Home::Input, "x", b.context.tensor(DType::F32, {sizes, strides}, {b.name("cpu")}), size);
  b.plan.buffers.back().home = Home::Compute;
  b.plan.layout.symbols = {{b.name("s0"), 8}};
  std::string text = llvm::toString(layOutFor(b.plan, {{b.name("s0"), 2}}).takeError());
  EXPECT_NE(text.find("buffer 'x' of 4*s0 - 16 bytes with s0 = 2 has no size that could be laid out [plan.layout]"),
            std::string::npos)
      << text;
}

TEST(PlanLayouts, RunsInTurnGiveWhatTheInterpreterGives) {
  Sized program;
  runtime::PlanRequest request{.plans = {program.plan.get()}, .ranks = numRanks};
  for (std::optional<uint64_t> seed : {std::optional<uint64_t>(), std::optional<uint64_t>(5)}) {
    request.seed = seed;
    auto prepared = llvm::cantFail(runtime::findEngine("local")->prepare(request));
    for (int64_t s0 : {3, 40, 7, 3, 40, 7, 1}) {
      runtime::RunRequest interpreted{.graphs = {program.graph.get()}, .ranks = numRanks, .inputs = inputs(s0)};
      runtime::RunResult expected = resultsOf(runtime::interpret(interpreted));
      runtime::RunResult got = resultsOf(prepared->run(inputs(s0)));
      for (size_t rank = 0; rank < numRanks; ++rank)
        for (const char *name : {"out.0", "out.1"})
          EXPECT_EQ(got[rank].at(name).data, expected[rank].at(name).data) << s0 << ' ' << rank << ' ' << name;
    }
  }
}

TEST(PlanLayouts, WindowsThatOverlapAtAnotherBindingAreRefused) {
  PlanBuilder b;
  StreamId comm = b.collectives(b.group("tp", {0}));
  b.plan.numSlots = 1;
  b.plan.inputs.push_back({"in.n", PlanValue::number(0, b.context.symbolicScalar(b.context.symbolic("s0"))), {}});
  PlanWindow x = b.input("x", {4}), y = b.compute("y", {32});
  PlanWindow first = b.part(y, {4}, 0), second = b.part(y, {4}, 0);
  second.offset = Dim(b.context.symbolic("s0"));
  b.plan.layout.symbols = {{b.name("s0"), 8}};
  b.collective("c", comm, {b.call(CollectiveKind::AllReduce, comm, x, first)});
  b.kernel("k", "aten.neg.default", {x}, second);
  b.returns(first);
  b.returns(second);
  auto prepared = llvm::cantFail(runtime::findEngine("local")->prepare({.plans = {&b.plan}, .ranks = 1}));
  auto run = [&](double s0) {
    return prepared->run(
        {{{"in.n", hostTensor(DType::I64, {}, {s0})}, {"in.x", hostTensor(DType::F32, {4}, {1, 2, 3, 4})}}});
  };
  EXPECT_EQ(errorOf(run(8)), "");
  EXPECT_EQ(errorOf(run(4)), "");
  std::string text = errorOf(run(2));
  EXPECT_NE(text.find("[plan.in-flight]"), std::string::npos) << text;
  EXPECT_NE(text.find("the plan was made for other sizes than s0 = 2"), std::string::npos) << text;
  EXPECT_EQ(errorOf(run(8)), "");
}

TEST(PlanLayouts, AKnownBindingIsNotLaidOutAgain) {
  Sized program;
  runtime::LayoutCache cache(*program.plan);
  EXPECT_EQ(&*llvm::cantFail(cache.find({3})), &program.plan->layout);
  auto ten = llvm::cantFail(cache.find({10}));
  auto twelve = llvm::cantFail(cache.find({12}));
  EXPECT_NE(ten, twelve);
  EXPECT_EQ(llvm::cantFail(cache.find({10})), ten);
  EXPECT_EQ(llvm::cantFail(cache.find({12})), twelve);
  EXPECT_EQ(cache.made(), 2U);
}

TEST(PlanLayouts, OnlySoManyAreKept) {
  Sized program;
  runtime::LayoutCache cache(*program.plan);
  auto most = static_cast<int64_t>(runtime::LayoutCache::mostKept);
  auto first = llvm::cantFail(cache.find({100}));
  for (int64_t i = 1; i < most; ++i)
    (void)llvm::cantFail(cache.find({100 + i}));
  // The first layout was used last, so the second is evicted.
  EXPECT_EQ(llvm::cantFail(cache.find({100})), first);
  (void)llvm::cantFail(cache.find({100 + most}));
  EXPECT_EQ(cache.made(), static_cast<size_t>(most + 1));
  EXPECT_EQ(llvm::cantFail(cache.find({100})), first);
  EXPECT_EQ(cache.made(), static_cast<size_t>(most + 1));
  (void)llvm::cantFail(cache.find({101}));
  EXPECT_EQ(cache.made(), static_cast<size_t>(most + 2));
}

} // namespace
} // namespace ccgraph::test
