// Tests that the records of a run are gathered in the requested process for all ranks, whichever process ran them.
#include "conformance/engine_under_test.h"
#include "support/plan_builder.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// y = relu(x); c = all_reduce(y).
struct Program : PlanBuilder {
  explicit Program(size_t ranks) {
    std::vector<int64_t> members;
    for (size_t rank = 0; rank < ranks; ++rank)
      members.push_back(static_cast<int64_t>(rank));
    PlanWindow x = compute("x", {2}), y = compute("y", {2}), c = comm("c", {2});
    StreamId stream = collectives(group("tp", members));
    Argument sizes = Argument::sequence(Argument::Kind::List, plan.keep({Argument::integer(2)}));
    kernel("x", "aten.full.default", {sizes, 0.25}, x);
    kernel("y", "aten.relu.default", {x}, y);
    collective("c", stream, {call(CollectiveKind::AllReduce, stream, y, c)});
    order("y", "c");
    returns(c);
  }
};

std::vector<int64_t> seenRanks(size_t ranks) {
  std::vector<int64_t> seen;
  for (size_t rank = 0; rank < ranks; ++rank)
    if (sees(rank))
      seen.push_back(static_cast<int64_t>(rank));
  return seen;
}

void expectWhole(const FlightRecord &record, size_t ranks) {
  EXPECT_EQ(record.worldSize, static_cast<int64_t>(ranks));
  EXPECT_EQ(record.engine, engineUnderTest().name());
  EXPECT_EQ(record.activity, RankActivity::Ended);
  ASSERT_EQ(record.steps.size(), 3U);
  const char *names[] = {"x", "y", "c"}, *operations[] = {"aten.full.default", "aten.relu.default", "all_reduce"};
  for (size_t step = 0; step < 3; ++step) {
    EXPECT_EQ(record.steps[step].name, names[step]);
    EXPECT_EQ(record.steps[step].operation, operations[step]);
    EXPECT_EQ(record.steps[step].position, static_cast<int64_t>(step));
    EXPECT_EQ(record.steps[step].communicates, step == 2);
    EXPECT_GT(record.steps[step].times.started, 0);
    EXPECT_GE(record.steps[step].times.completed, record.steps[step].times.started);
  }
  EXPECT_NE(record.steps[1].stream, record.steps[2].stream);
  ASSERT_EQ(record.calls.size(), 1U);
  const FlightCall &call = record.calls.front();
  EXPECT_EQ(call.operation, "all_reduce");
  EXPECT_EQ(call.detail, "sum");
  EXPECT_EQ(call.sequence, 1);
  EXPECT_EQ(call.state, FlightState::Completed);
  EXPECT_EQ(call.peer, std::nullopt);
  EXPECT_EQ(call.position, 2);
  EXPECT_EQ(call.inputs, (std::vector<FlightTensor>{{"f32", 2}}));
  EXPECT_EQ(call.outputs, call.inputs);
  ASSERT_LT(call.group, record.groups.size());
  EXPECT_EQ(record.groups[call.group].name, "tp");
  EXPECT_EQ(record.groups[call.group].ranks.size(), ranks);
}

TEST(Traces, TellOfAllRanks) {
  for (size_t ranks : rankCounts(5)) {
    Program program(ranks);
    runtime::PlanRequest request{.plans = {&program.plan}, .ranks = ranks};
    auto prepared = llvm::cantFail(engineUnderTest().prepare(request));
    for (int run = 0; run < 2; ++run) {
      llvm::cantFail(prepared->run(std::vector<TensorMap>(ranks)));
      runtime::RankTraces traces = llvm::cantFail(prepared->gatherTraces());
      EXPECT_TRUE(traces.statedEnds.empty());
      std::vector<int64_t> told;
      for (const FlightRecord &record : traces.records) {
        told.push_back(record.rank);
        expectWhole(record, ranks);
      }
      EXPECT_EQ(told, seenRanks(ranks));
    }
  }
}

} // namespace
} // namespace ccgraph::test
