// In which order steps run: streams, events, the host, and what happens where nobody can go on.
#include "process/thread_sanitizer.h"
#include "support/plan_builder.h"
#include "support/rank_program.h"

#include <gtest/gtest.h>

#include <set>

namespace ccgraph::test {
namespace {

using Row = std::vector<double>;

HostTensor f32(std::vector<int64_t> sizes, const Row &values) {
  return hostTensor(DType::F32, std::move(sizes), values);
}

PlanCollective call(CollectiveKind kind, uint32_t group, const PlanWindow &send, const PlanWindow &receive) {
  PlanCollective made;
  made.kind = kind;
  made.group = group;
  made.rows = {{send, receive}};
  if (kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter)
    made.reduceOp = ReduceOp::Sum;
  return made;
}

/// The example of plan.h, on two ranks: r = all_reduce(a) + relu(x).
struct OverlapPlan : PlanBuilder {
  OverlapPlan() {
    PlanWindow a = input("a", {2}), x = input("x", {2});
    PlanWindow c = comm("c", {2}), b = compute("b", {2}), r = compute("r", {2});
    StreamId comm = collectives(group("tp", {0, 1}));
    collective("c", comm, {call(CollectiveKind::AllReduce, 0, a, c)});
    kernel("b", "aten.relu.default", {x}, b);
    kernel("r", "aten.add.Tensor", {c, b}, r);
    returns(r);
  }
  static std::vector<TensorMap> inputs() {
    return {{{"in.a", f32({2}, {1, 2})}, {"in.x", f32({2}, {100, 200})}},
            {{"in.a", f32({2}, {10, 20})}, {"in.x", f32({2}, {300, -400})}}};
  }
};

TEST(PlanOrder, EventsOrderStreams) {
  OverlapPlan b;
  b.order("c", "r");
  for (uint64_t seed = 0; seed < 20; ++seed) {
    auto results = resultsOf(runLocally(b.plan, OverlapPlan::inputs(), seed));
    EXPECT_EQ(numbersOf(results[0].at("out.0")), (Row{111, 222}));
    EXPECT_EQ(numbersOf(results[1].at("out.0")), (Row{311, 22}));
  }
}

/// Computes r = -c, whether or not the collective that makes c is complete. It runs on one rank, so no other thread
/// accesses the memory that is read too early.
Row runTooEarly(uint64_t seed) {
  PlanBuilder b;
  PlanWindow a = b.input("a", {2}), c = b.comm("c", {2}), r = b.compute("r", {2});
  b.collective("c", b.collectives(b.group("alone", {0})), {call(CollectiveKind::AllReduce, 0, a, c)});
  b.kernel("r", "aten.neg.default", {c}, r);
  b.returns(r);
  std::vector<TensorMap> inputs = {{{"in.a", f32({2}, {1, 2})}}};
  return numbersOf(resultsOf(runLocally(b.plan, inputs, seed))[0].at("out.0"));
}

TEST(PlanOrder, AMissingEventShows) {
  if (runtime::isWatchedForRaces)
    GTEST_SKIP() << "it is a data race";
  int wrong = 0;
  for (uint64_t seed = 0; seed < 20; ++seed)
    wrong += runTooEarly(seed) != Row{-1, -2};
  EXPECT_GT(wrong, 0) << "some order reads the result before it is there";
}

TEST(PlanOrderDeathTest, AMissingEventIsADataRaceInEveryOrder) {
  if (!runtime::isWatchedForRaces)
    GTEST_SKIP() << "no thread sanitizer is here to see it";
  constexpr int exitCodeOfRaces = 66;
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_EXIT((runTooEarly(seed), std::exit(0)), testing::ExitedWithCode(exitCodeOfRaces), "data race");
}

/// Copies on three streams into one buffer; the last copy determines it, and every third copy is on the compute stream.
struct RacePlan : PlanBuilder {
  RacePlan() {
    PlanWindow x = input("x", {8}), y = compute("y", {1});
    uint32_t alone = group("alone", {0});
    std::vector<StreamId> streams = {Plan::computeStream, collectives(alone), collectives(alone)};
    for (int i = 0; i < 8; ++i)
      copy("c" + std::to_string(i), part(x, {1}, i), y).stream = streams[i % 3];
    returns(y);
  }
  /// Returns which copy was the last.
  [[nodiscard]] double last(std::optional<uint64_t> seed) const {
    Row numbers = {0, 1, 2, 3, 4, 5, 6, 7};
    return numbersOf(resultsOf(runLocally(plan, {{{"in.x", f32({8}, numbers)}}}, seed))[0].at("out.0"))[0];
  }
};

TEST(PlanOrder, ASeedRepeatsItsOrder) {
  if (runtime::isWatchedForRaces)
    GTEST_SKIP() << "the copies race on purpose";
  RacePlan race;
  std::set<double> seen;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    seen.insert(race.last(seed));
    EXPECT_EQ(race.last(seed), race.last(seed));
  }
  EXPECT_EQ(seen, (std::set<double>{5, 6, 7})) << "any stream's last copy may come last, and no other";
}

TEST(PlanOrder, TheOrderForSpeedComputesLast) {
  if (runtime::isWatchedForRaces)
    GTEST_SKIP() << "the copies race on purpose";
  RacePlan race;
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(race.last({}), 6) << "the last copy on the stream of computation";
}

TEST(PlanOrder, AStepAfterAHostStepBeginsWhenThatHasEnded) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {1}), y = b.compute("y", {1});
  b.plan.numSlots = 1;
  uint32_t alone = b.group("alone", {0});
  b.kernel("y", "aten.neg.default", {x}, y);
  b.host("n", "aten.item.default", {y}, PlanValue::number(0, nullptr));
  PlanWindow z = b.compute("z", {1});
  b.kernel("z", "aten.mul.Tensor", {x, PlanValue::number(0, nullptr)}, z).stream = b.collectives(alone);
  b.order("y", "n");
  b.returns(z);
  for (uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_EQ(numbersOf(resultsOf(runLocally(b.plan, {{{"in.x", f32({1}, {3})}}}, seed))[0].at("out.0")), (Row{-9}));
}

// --- Deadlocks -------------------------------------------------------------------------------------------

/// Each rank has a plan: rank 1 does not launch.
TEST(PlanOrder, ADeadlockIsSaidAtOnce) {
  PlanBuilder first, second;
  PlanWindow x = first.input("x", {1}), y = first.comm("y", {1});
  StreamId comm = first.collectives(first.group("tp", {0, 1}));
  first.collective("ar", comm, {call(CollectiveKind::AllReduce, 0, x, y)});
  runtime::PlanRequest request;
  request.plans = {&first.plan, &second.plan};
  request.ranks = 2;
  request.inputs = {{{"in.x", f32({1}, {1})}}, {}};
  EXPECT_EQ(errorOf(runPlans(*runtime::findEngine("local"), request)),
            "error: ar: no rank can continue: rank 0 waits for all_reduce `ar` (collective 1 on ranks [0, 1]), which "
            "ranks [1] have "
            "not launched [run.deadlock]\n  note: rank 1 has ended\n");
}

TEST(PlanOrder, TwoGroupsInOtherOrdersOnOneStreamAreADeadlock) {
  PlanBuilder builders[2];
  for (int rank = 0; rank < 2; ++rank) {
    PlanBuilder &b = builders[rank];
    PlanWindow x = b.input("x", {1}), y = b.comm("y", {1}), z = b.comm("z", {1});
    uint32_t one = b.group("one", {0, 1}), other = b.group("other", {1, 0});
    StreamId comm = b.collectives(one);
    b.collective("a", comm, {call(CollectiveKind::AllReduce, rank ? other : one, x, y)});
    b.collective("b", comm, {call(CollectiveKind::AllReduce, rank ? one : other, x, z)});
  }
  runtime::PlanRequest request;
  request.plans = {&builders[0].plan, &builders[1].plan};
  request.ranks = 2;
  request.inputs = {{{"in.x", f32({1}, {1})}}, {{"in.x", f32({1}, {1})}}};
  EXPECT_EQ(
      errorOf(runPlans(*runtime::findEngine("local"), request)),
      "error: a: no rank can continue: rank 0 waits for all_reduce `a` (collective 1 on ranks [0, 1]), which ranks "
      "[1] have not "
      "launched [run.deadlock]\n  note: rank 1 waits for all_reduce `a` (collective 1 on ranks [1, 0]), which "
      "ranks [0] have "
      "not launched\n");
}

TEST(PlanOrder, AnEventThatComesTooLateIsADeadlock) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {1}), y = b.compute("y", {1}), z = b.compute("z", {1});
  b.kernel("y", "aten.neg.default", {x}, y);
  b.kernel("z", "aten.neg.default", {x}, z);
  b.order("z", "y");
  EXPECT_EQ(errorOf(runLocally(b.plan, {{{"in.x", f32({1}, {1})}}})),
            "error: y: no rank can continue: rank 0: `y` waits for event 0, which `z` records [run.deadlock]\n");
}

TEST(PlanOrder, RanksThatDisagreeAreNamed) {
  PlanBuilder builders[2];
  for (int rank = 0; rank < 2; ++rank) {
    PlanBuilder &b = builders[rank];
    PlanWindow x = b.input("x", {2}), y = b.comm("y", {2});
    PlanCollective reduce = call(CollectiveKind::AllReduce, 0, x, y);
    reduce.reduceOp = rank ? ReduceOp::Max : ReduceOp::Sum;
    b.collective(rank ? "mine" : "yours", b.collectives(b.group("tp", {0, 1})), {reduce});
  }
  runtime::PlanRequest request;
  request.plans = {&builders[0].plan, &builders[1].plan};
  request.ranks = 2;
  request.inputs = {{{"in.x", f32({2}, {1, 2})}}, {{"in.x", f32({2}, {1, 2})}}};
  for (request.seed = 0; request.seed < 5; ++*request.seed)
    EXPECT_EQ(errorOf(runPlans(*runtime::findEngine("local"), request)),
              "error: mine: ranks 0 and 1 disagree about collective 1 on ranks [0, 1]: reduction sum against max "
              "[run.ranks-disagree]\n  note: rank 0: all_reduce `yours` sum f32[2]\n  note: rank 1: all_reduce `mine` "
              "max f32[2]\n"
              "  note: every rank of a group must issue the same collectives in the same order, with the same "
              "reduction, dtype and "
              "counts\n");
}

TEST(PlanOrder, AnErrorOnOneRankEndsTheRunOnAll) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2}), y = b.comm("y", {2}), i = b.buffer(Home::Input, "i", b.type({1}, DType::I64));
  b.plan.inputs.push_back({"in.i", PlanValue::tensor(i), {}});
  PlanWindow picked = b.compute("picked", {1});
  b.kernel("picked", "aten.index_select.default", {x, 0, i}, picked);
  b.collective("ar", b.collectives(b.group("tp", {0, 1})), {call(CollectiveKind::AllReduce, 0, x, y)});
  b.order("picked", "ar");
  TensorMap good = {{"in.x", f32({2}, {1, 2})}, {"in.i", hostTensor(DType::I64, {1}, {0})}}, bad = good;
  bad["in.i"] = hostTensor(DType::I64, {1}, {7});
  std::string error = errorOf(runLocally(b.plan, {good, bad}));
  EXPECT_EQ(error.substr(0, error.find("index_select")), "error: picked: rank 1: aten.") << error;
}

TEST(PlanOrder, AWaitEndsAtTheDeadline) {
  PlanBuilder slow, waiting;
  for (PlanBuilder *b : {&slow, &waiting}) {
    PlanWindow x = b->input("x", {256, 256}), y = b->comm("y", {256, 256});
    StreamId comm = b->collectives(b->group("tp", {0, 1}));
    for (int i = 0; b == &slow && i < 10000; ++i)
      b->kernel("mm", "aten.mm.default", {x, x}, y);
    if (b == &slow)
      b->plan.steps.back().event = b->plan.numEvents++;
    b->collective("ar", comm, {call(CollectiveKind::AllReduce, 0, x, y)});
    if (b == &slow)
      b->plan.steps.back().waits = {0};
  }
  runtime::PlanRequest request;
  request.plans = {&waiting.plan, &slow.plan};
  request.ranks = 2;
  TensorMap inputs = {{"in.x", f32({256, 256}, Row(256 * 256, 1))}};
  request.inputs = {inputs, inputs};
  request.deadline = std::chrono::milliseconds(200);
  EXPECT_EQ(errorOf(runPlans(*runtime::findEngine("local"), request)),
            "error: ar: rank 0 has waited for 200 ms: rank 0 waits for all_reduce `ar` (collective 1 on ranks [0, 1]), "
            "which ranks "
            "[1] have not launched [run.deadline]\n  note: rank 1 is busy with `mm`\n");
}

// --- Groups ----------------------------------------------------------------------------------------------

TEST(PlanOrder, GroupsMustHoldTheRankAndFitTheRun) {
  auto errorWith = [](std::vector<int64_t> ranks) {
    PlanBuilder b;
    PlanWindow x = b.input("x", {1}), y = b.comm("y", {1});
    b.collective("ar", b.collectives(b.group("tp", std::move(ranks))), {call(CollectiveKind::AllReduce, 0, x, y)});
    return errorOf(runLocally(b.plan, {{{"in.x", f32({1}, {1})}}}));
  };
  EXPECT_EQ(errorWith({1, 2}),
            "error: ar: rank 0: is not a member of the group that it communicates on, [1, 2] [run.collective]\n");
  EXPECT_EQ(errorWith({0, 2}),
            "error: ar: rank 0: group [0, 2] contains rank 2, but only 1 rank runs [run.collective]\n  note: run as "
            "many ranks as the groups name\n");
  EXPECT_EQ(errorWith({}),
            "error: ar: rank 0: group 'tp' has no ranks [run.collective]\n  note: give the ranks of each group with "
            "--groups FILE\n");
}

TEST(PlanOrder, ARequestMustFitItsPlans) {
  PlanBuilder b;
  EXPECT_EQ(errorOf(runLocally(b.plan, {})), "error: got 0 ranks, expected at least 1 [run.request]\n");
  b.plan.rank = 1;
  EXPECT_EQ(errorOf(runLocally(b.plan, {{}})), "error: got the plan of rank 1 for rank 0 [run.request]\n");
}

TEST(PlanOrder, ARequestMustBeOfTheFactsThatItsPlansWereTracedWith) {
  PlanBuilder b;
  b.group("tp", {1, 0});
  b.plan.guards = {{GuardFact::Size, "tp", int64_t{2}}};
  EXPECT_EQ(runLocally(b.plan, {{}, {}})->size(), 2U);
  std::string repair =
      "  note: run it with the ranks that it was traced for, each rank its own graph or plan, or trace it again\n";
  EXPECT_EQ(errorOf(runLocally(b.plan, {{}})),
            "error: group tp: the graph was traced with size 2, and it is 1 on rank 0 of 1 [guards.fact]\n" + repair);
  b.plan.guards.push_back({GuardFact::Rank, "tp", int64_t{1}});
  EXPECT_EQ(errorOf(runLocally(b.plan, {{}, {}})),
            "error: group tp: the graph was traced with rank 1, and it is 0 on rank 1 of 2 [guards.fact]\n" + repair);
}

TEST(Engines, AreKnownByName) {
  EXPECT_EQ(runtime::findEngine("local")->name(), "local");
  EXPECT_EQ(runtime::findEngine("lokal"), nullptr);
  EXPECT_TRUE(llvm::is_sorted(runtime::allEngines(), [](auto *a, auto *b) { return a->name() < b->name(); }));
}

} // namespace
} // namespace ccgraph::test
