// Tests the times of a run, computed from records with given times.
#include "ccgraph/runtime/run_times.h"

#include <gtest/gtest.h>

namespace ccgraph::runtime {
namespace {

constexpr int64_t us = 1000;

FlightRecord rankRecord(int64_t rank, std::vector<int64_t> members) {
  FlightRecord record;
  record.rank = rank;
  record.worldSize = static_cast<int64_t>(members.size());
  record.groups = {{"tp", "", std::move(members)}};
  return record;
}

void addCall(FlightRecord &record, const char *operation, int64_t elements, int64_t begin, int64_t end) {
  FlightCall call;
  call.operation = operation;
  call.sequence = static_cast<int64_t>(record.calls.size()) + 1;
  call.position = static_cast<int64_t>(record.steps.size());
  call.inputs = {{"f32", elements}};
  call.outputs = call.inputs;
  call.state = FlightState::Completed;
  call.times = {begin * us, begin * us, end * us};
  record.calls.push_back(call);
  record.steps.push_back({*call.position, "c", operation, true, "comm:tp", {0, begin * us, end * us}});
}

void addStep(FlightRecord &record, int64_t begin, int64_t end) {
  auto position = static_cast<int64_t>(record.steps.size());
  record.steps.push_back({position, "k", "aten.mm.default", false, "compute", {0, begin * us, end * us}});
}

TEST(RunTimes, CountAsExposedWhatNoStepCovers) {
  std::vector<FlightRecord> records = {rankRecord(0, {0, 1}), rankRecord(1, {0, 1})};
  for (FlightRecord &record : records) {
    addCall(record, "all_reduce", 1000, 10, 30);
    addCall(record, "all_reduce", 1000, 25, 50); // in flight together with the first from 25 to 30
    addStep(record, 5, 20);
    addStep(record, 45, 48);
  }
  RunTimes times = measureRun(records);
  EXPECT_DOUBLE_EQ(times.steps, 45e-6);
  EXPECT_DOUBLE_EQ(times.inFlight, 40e-6);
  EXPECT_DOUBLE_EQ(times.exposed, 27e-6); // 10 to 20 and 45 to 48 overlap with computation
}

TEST(RunTimes, OfTheRankThatHasMostExposed) {
  std::vector<FlightRecord> records = {rankRecord(0, {0, 1}), rankRecord(1, {0, 1})};
  addCall(records[0], "all_reduce", 1000, 10, 30);
  addCall(records[1], "all_reduce", 1000, 20, 30);
  EXPECT_DOUBLE_EQ(measureRun(records).exposed, 20e-6);
}

TEST(RunTimes, OfACollectiveBeginWithTheLastRank) {
  std::vector<FlightRecord> records = {rankRecord(0, {0, 1}), rankRecord(1, {0, 1})};
  addCall(records[0], "all_reduce", 1000, 10, 30);
  addCall(records[1], "all_reduce", 1000, 20, 31);
  RunTimes times = measureRun(records);
  ASSERT_EQ(times.collectives.size(), 1U);
  EXPECT_DOUBLE_EQ(times.collectives[0].seconds, 11e-6);
  EXPECT_EQ(times.collectives[0].bytes, 4000);
  EXPECT_EQ(times.collectives[0].group, "tp");
  EXPECT_DOUBLE_EQ(times.byStep.at(0), 11e-6);
}

TEST(RunTimes, OfComputingStepsAreTheMeanOfTheRanks) {
  std::vector<FlightRecord> records = {rankRecord(0, {0, 1}), rankRecord(1, {0, 1})};
  addStep(records[0], 0, 10);
  addStep(records[1], 5, 9);
  EXPECT_DOUBLE_EQ(measureRun(records).byStep.at(0), 7e-6);
}

TEST(RunTimes, GiveBusBandwidthAsNcclTestsDo) {
  auto factor = [](const char *operation, size_t ranks) {
    CollectiveTimes row{operation, "tp", ranks, 1, 1000, 1e-6};
    return row.busBandwidth() / 1e9;
  };
  EXPECT_DOUBLE_EQ(factor("all_reduce", 4), 1.5);
  EXPECT_DOUBLE_EQ(factor("all_gather", 4), 0.75);
  EXPECT_DOUBLE_EQ(factor("reduce_scatter", 8), 0.875);
  EXPECT_DOUBLE_EQ(factor("all_to_all", 2), 0.5);
  EXPECT_DOUBLE_EQ(factor("shard_dim_all_to_all", 2), 0.5);
  EXPECT_DOUBLE_EQ(factor("broadcast", 4), 1);
  EXPECT_DOUBLE_EQ(factor("all_reduce", 1), 0);
  EXPECT_DOUBLE_EQ((CollectiveTimes{"all_reduce", "tp", 4, 1, 1000, 0}.busBandwidth()), 0);
}

TEST(RunTimes, LeaveOutWhatHasNotEnded) {
  std::vector<FlightRecord> records = {rankRecord(0, {0, 1}), rankRecord(1, {0, 1})};
  addCall(records[0], "all_reduce", 1000, 10, 30);
  addCall(records[1], "all_reduce", 1000, 20, 0);
  records[1].calls[0].state = FlightState::Started;
  EXPECT_TRUE(measureRun(records).collectives.empty());
  EXPECT_EQ(measureRun({}).steps, 0);
}

TEST(RunTimes, OfOneRecordAloneAreWhatItsRankSaw) {
  std::vector<FlightRecord> records = {rankRecord(0, {0, 1})};
  addCall(records[0], "all_reduce", 1000, 10, 30);
  ASSERT_EQ(measureRun(records).collectives.size(), 1U);
  EXPECT_DOUBLE_EQ(measureRun(records).collectives[0].seconds, 20e-6);
}

} // namespace
} // namespace ccgraph::runtime
