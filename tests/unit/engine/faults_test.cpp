// Tests injected faults: each ends the run with its error, in every order, and the records name the faulty rank.
#include "support/plan_builder.h"

#include "ccgraph/runtime/flight_analysis.h"
#include "support/rank_program.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using runtime::Fault;
using runtime::FaultKind;
using namespace std::chrono_literals;

PlanCollective reduction(const PlanWindow &x, const PlanWindow &y, ReduceOp op) {
  PlanCollective call;
  call.kind = CollectiveKind::AllReduce;
  call.reduceOp = op;
  call.rows = {{x, y}};
  return call;
}

/// Step 0 `n` computes, steps 1 `a` and 2 `b` are all_reduces of one stream, and step 3 `m` computes after them.
class FaultyProgram {
public:
  explicit FaultyProgram(size_t ranks, ReduceOp second = ReduceOp::Max) : ranks_(ranks) {
    PlanWindow x = b_.input("x", {4}), n = b_.compute("n", {4}), m = b_.compute("m", {4});
    PlanWindow y = b_.comm("y", {4}), z = b_.comm("z", {4});
    std::vector<int64_t> all;
    for (size_t rank = 0; rank < ranks; ++rank)
      all.push_back(static_cast<int64_t>(rank));
    StreamId comm = b_.collectives(b_.group("tp", all));
    b_.kernel("n", "aten.neg.default", {x}, n);
    b_.collective("a", comm, {reduction(x, y, ReduceOp::Sum)});
    b_.collective("b", comm, {reduction(x, z, second)});
    b_.kernel("m", "aten.mul.Tensor", {y, z}, m);
    b_.order("a", "m");
    b_.order("b", "m");
    b_.plan.outputs = {PlanValue::tensor(m), PlanValue::tensor(n)};
    b_.plan.graphDigest = "0";
  }

  struct Outcome {
    std::string error;
    runtime::FlightVerdict verdict;
    std::vector<FlightRecord> records;
    std::chrono::steady_clock::duration took{};
  };
  Outcome run(std::vector<Fault> faults, uint64_t seed = 0, std::chrono::milliseconds deadline = 60s) {
    runtime::PlanRequest request;
    request.plans = {&b_.plan};
    request.ranks = ranks_;
    request.seed = seed;
    request.deadline = deadline;
    request.faults = std::move(faults);
    request.recordedCalls = recordedCalls;
    request.recordedSteps = recordedSteps;
    llvm::Expected<std::unique_ptr<runtime::PreparedPlans>> prepared = runtime::findEngine("local")->prepare(request);
    if (!prepared)
      return {llvm::toString(prepared.takeError()), {}, {}};
    auto begin = std::chrono::steady_clock::now();
    std::string error = errorOf(
        (*prepared)->run(std::vector<TensorMap>(ranks_, {{"in.x", hostTensor(DType::F32, {4}, {1, 2, 3, 4})}})));
    auto took = std::chrono::steady_clock::now() - begin;
    std::vector<FlightRecord> records = (*prepared)->flightRecords();
    return {error, runtime::analyzeFlight(records), records, took};
  }

  size_t recordedCalls = 512;
  size_t recordedSteps = 512;

private:
  size_t ranks_;
  PlanBuilder b_;
};

std::string ruleOf(const std::string &error) {
  size_t begin = error.find("[run.");
  return begin == std::string::npos ? error : error.substr(begin + 1, error.find(']', begin) - begin - 1);
}

/// Runs the fault in every order of the steps, which determines how far each rank gets: `words` must occur in the
/// message in each order.
void expectFound(size_t ranks, const Fault &fault, const std::string &rule, std::vector<std::string> words) {
  words.push_back("rank " + std::to_string(fault.rank) + " is the culprit: ");
  // Healthy ranks must meet the deadline on a busy machine, so the deadline is long; tests in which it must expire use
  // fewer orders.
  bool passes = fault.kind == FaultKind::Stop || fault.kind == FaultKind::Slow;
  for (uint64_t seed = 0; seed < (passes ? 3 : 8); ++seed) {
    FaultyProgram::Outcome outcome = FaultyProgram(ranks).run({fault}, seed, passes ? 700ms : 60s);
    EXPECT_EQ(ruleOf(outcome.error), rule) << outcome.error << ", seed " << seed;
    EXPECT_EQ(outcome.verdict.culprits, std::vector<int64_t>{fault.rank})
        << outcome.verdict.sentence << ", seed " << seed;
    for (const std::string &word : words)
      EXPECT_NE(outcome.verdict.sentence.find(word), std::string::npos)
          << outcome.verdict.sentence << " lacks " << word << ", seed " << seed;
  }
}

TEST(Faults, NoneMeansThatTheRecordsAgree) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    FaultyProgram::Outcome outcome = FaultyProgram(3).run({}, seed);
    EXPECT_EQ(outcome.error, "");
    EXPECT_TRUE(outcome.verdict.agree);
    EXPECT_EQ(outcome.verdict.sentence, "the records of ranks 0, 1 and 2 agree");
  }
}

TEST(Faults, AWrongSizeDisagreesWithTheOthers) {
  expectFound(3, {FaultKind::WrongSize, 1, 1}, "run.ranks-disagree",
              {"collective 1 of group tp is all_reduce sum f32[4] `a` on rank", "all_reduce sum f32[3] `a` on rank 1"});
}

TEST(Faults, OfTwoRanksTheOneThatDepartsFromItsPlanIsTheCulprit) {
  expectFound(2, {FaultKind::WrongDType, 0, 2}, "run.ranks-disagree",
              {"collective 2 of group tp is all_reduce max f32[4] `b` on rank 1, and all_reduce max i32[4] `b` on rank "
               "0, which is max f32[4] by the plan"});
  expectFound(2, {FaultKind::WrongSize, 1, 1}, "run.ranks-disagree", {"which is sum f32[4] by the plan"});
  expectFound(2, {FaultKind::Reorder, 1, 1}, "run.ranks-disagree", {"which is number 2 by the plan"});
  expectFound(2, {FaultKind::Skip, 0, 1}, "run.ranks-disagree", {"which is number 2 by the plan"});
}

TEST(Faults, AReorderedCallDisagreesWithTheOthers) {
  expectFound(4, {FaultKind::Reorder, 3, 1}, "run.ranks-disagree", {"all_reduce max f32[4] `b` on rank 3"});
}

TEST(Faults, CallsThatLookAlikeAreToldApartByTheirPlaceInTheProgram) {
  FaultyProgram::Outcome outcome = FaultyProgram(3, ReduceOp::Sum).run({{FaultKind::Reorder, 1, 1}});
  EXPECT_EQ(ruleOf(outcome.error), "run.ranks-disagree");
  EXPECT_NE(outcome.error.find("step "), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find(" of the program against "), std::string::npos) << outcome.error;
  EXPECT_EQ(outcome.verdict.culprits, std::vector<int64_t>{1}) << outcome.verdict.sentence;
}

TEST(Faults, ASkippedCallDisagreesOrIsMissing) {
  expectFound(3, {FaultKind::Skip, 2, 1}, "run.ranks-disagree", {"all_reduce max f32[4] `b` on rank 2"});
  expectFound(3, {FaultKind::Skip, 2, 2}, "run.deadlock",
              {"it has not launched collective 2 of group tp, all_reduce max f32[4] `b`, for which ranks 0 and 1 wait; "
               "it has ended its program"});
}

TEST(Faults, ARankThatDiesIsMissed) {
  for (size_t step = 0; step < 4; ++step)
    expectFound(3, {FaultKind::Kill, 1, step}, "run.rank-lost", {"it left no record"});
}

TEST(Faults, ARankThatStopsIsMissedAtTheDeadline) {
  // The order of the steps determines whether the others miss its launch or its part of a launched collective.
  expectFound(3, {FaultKind::Stop, 1, 0}, "run.deadline", {"of group tp", "; it is busy with `n`"});
  expectFound(3, {FaultKind::Stop, 1, 1}, "run.deadline", {"of group tp", "; it is busy with `a`"});
  expectFound(3, {FaultKind::Stop, 1, 2}, "run.deadline", {"of group tp", "; it is busy with `b`"});
  expectFound(3, {FaultKind::Stop, 1, 3}, "run.deadline", {"it is busy with `m`"});
}

TEST(Faults, ASlowRankIsNoErrorWithinTheDeadline) {
  FaultyProgram::Outcome outcome = FaultyProgram(3).run({{FaultKind::Slow, 1, 1, 50ms}});
  EXPECT_EQ(outcome.error, "");
  EXPECT_GE(outcome.took, 50ms);
  expectFound(3, {FaultKind::Slow, 1, 1, 60s}, "run.deadline", {"it is busy with `a`"});
}

TEST(Faults, AreRefusedWhereThePlanHasNoPlaceForThem) {
  auto errorWith = [](const Fault &fault) { return FaultyProgram(2).run({fault}).error; };
  EXPECT_EQ(
      errorWith({FaultKind::Skip, 0, 0}),
      "error: fault skip on rank 0: got step 0 `n`, expected a step that communicates [run.request]\n  note: such "
      "steps are 1, 2\n");
  EXPECT_EQ(errorWith({FaultKind::Reorder, 0, 2}),
            "error: fault reorder on rank 0: got step 2 `b`, expected a collective before another one on the same "
            "ranks [run.request]\n  note: choose an earlier step\n");
  EXPECT_EQ(
      errorWith({FaultKind::Kill, 0, 4}),
      "error: fault kill on rank 0: got step 4, expected less than 4 [run.request]\n  note: steps are counted from "
      "0, in the order of the plan\n");
  EXPECT_EQ(errorWith({FaultKind::Kill, 2, 0}), "error: fault kill: got rank 2, expected 0 to 1 [run.request]\n");
  EXPECT_EQ(FaultyProgram(1).run({{FaultKind::Stop, 0, 0}}).error,
            "error: fault stop: got 1 rank, expected more: no rank waits for the only one [run.request]\n");
}

// --- Records ------------------------------------------------------------------------------------------------

TEST(FlightRecord, HoldsCallsAndStepsOfTheLastRun) {
  FaultyProgram::Outcome outcome = FaultyProgram(2).run({});
  ASSERT_EQ(outcome.records.size(), 2U);
  const FlightRecord &record = outcome.records[1];
  EXPECT_EQ(record.rank, 1);
  EXPECT_EQ(record.worldSize, 2);
  EXPECT_EQ(record.engine, "local");
  EXPECT_EQ(record.activity, RankActivity::Ended);
  ASSERT_EQ(record.groups.size(), 1U);
  EXPECT_EQ(record.groups[0].ranks, (std::vector<int64_t>{0, 1}));
  ASSERT_EQ(record.calls.size(), 2U);
  const FlightCall &b = record.calls[1];
  EXPECT_EQ(b.operation + " " + b.detail + " `" + b.step + "`", "all_reduce max `b`");
  EXPECT_EQ(b.sequence, 2);
  EXPECT_EQ(b.position, 2);
  EXPECT_EQ(b.inputs, (std::vector<FlightTensor>{{"f32", 4}}));
  EXPECT_EQ(b.outputs, (std::vector<FlightTensor>{{"f32", 4}}));
  EXPECT_EQ(b.state, FlightState::Completed);
  EXPECT_EQ(b.departure, "");
  EXPECT_LE(b.times.scheduled, b.times.started);
  EXPECT_LE(b.times.started, b.times.completed);
  ASSERT_EQ(record.steps.size(), 4U);
  for (const FlightStep &step : record.steps)
    EXPECT_LE(step.times.started, step.times.completed) << step.name;
}

TEST(FlightRecord, TellsWhatIsIssuedByThePlan) {
  FaultyProgram::Outcome outcome = FaultyProgram(2).run({{FaultKind::Kill, 1, 1}});
  ASSERT_EQ(outcome.records.size(), 1U);
  for (const FlightCall &call : outcome.records[0].calls) {
    EXPECT_EQ(call.inputs, (std::vector<FlightTensor>{{"f32", 4}})) << call.step;
    EXPECT_EQ(call.outputs, (std::vector<FlightTensor>{{"f32", 4}})) << call.step;
    EXPECT_EQ(call.departure, "") << call.step;
  }
}

TEST(FlightRecord, ForgetsTheOldest) {
  FaultyProgram program(2);
  program.recordedCalls = 1;
  program.recordedSteps = 3;
  FaultyProgram::Outcome outcome = program.run({});
  const FlightRecord &record = outcome.records[0];
  EXPECT_EQ(record.forgottenCalls, 1);
  ASSERT_EQ(record.calls.size(), 1U);
  EXPECT_EQ(record.calls[0].step, "b");
  EXPECT_EQ(record.forgottenSteps, 1);
  EXPECT_EQ(record.steps.size(), 3U);
  EXPECT_TRUE(outcome.verdict.agree) << outcome.verdict.sentence;
}

} // namespace
} // namespace ccgraph::test
