// Tests the comparison of an allocator's record with a graph's peak, on records whose peak is known.
#include "ccgraph/measured/memory.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using measured::MemoryComparison;
using measured::MemoryReason;
using measured::PredictedMemory;

struct MemoryTest : testing::Test {
  AllocatorSnapshot device;
  PredictedMemory predicted{3'000, "mm", {{"x", 1'000}, {"w", 2'000}}, {1'000, 2'000, 4'000}};

  void event(AllocatorAction action, int64_t address, int64_t bytes) {
    device.events.push_back({action, address, bytes});
  }
  void allocate(int64_t address, int64_t bytes) { event(AllocatorAction::Allocate, address, bytes); }
  void free(int64_t address, int64_t bytes) {
    event(AllocatorAction::RequestFree, address, bytes);
    event(AllocatorAction::CompleteFree, address, bytes);
  }
  void segment(int64_t address, int64_t bytes, std::vector<MemoryBlock> blocks = {}) {
    device.segments.push_back({address, bytes, std::move(blocks)});
  }

  MemoryComparison compare() {
    auto result = measured::compareMemory(device, predicted);
    EXPECT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
    int64_t sum = result->predicted + result->rounding + result->unused;
    for (const auto &it : result->differences)
      sum += isMore(it.reason) ? it.bytes : -it.bytes;
    EXPECT_EQ(sum, result->segments);
    return std::move(*result);
  }
  std::string error() {
    auto result = measured::compareMemory(device, predicted);
    return result ? "" : llvm::toString(result.takeError());
  }
};

TEST_F(MemoryTest, BlocksOfTheGraphDifferOnlyByRounding) {
  segment(0, 1 << 21);
  allocate(0, 1'000);
  allocate(1'024, 2'000);
  free(0, 1'000);
  free(1'024, 2'000);
  const MemoryComparison it = compare();
  EXPECT_EQ(it.event, 2U);
  EXPECT_EQ(it.events, 6U);
  EXPECT_EQ(it.requested, 3'000);
  EXPECT_EQ(it.rounding, 24 + 48); // to 1,024 and 2,048
  EXPECT_EQ(it.unused, (1 << 21) - 3'072);
  EXPECT_TRUE(it.differences.empty());
}

TEST_F(MemoryTest, ABlockOfTheSnapshotHasItsOwnSize) {
  segment(0, 4'096, {{0, 4'096, 1'000, BlockState::Allocated}});
  allocate(0, 1'000);
  predicted = {1'000, "mm", {{"x", 1'000}}, {1'000}};
  const MemoryComparison it = compare();
  EXPECT_EQ(it.rounding, 3'096); // the rest was too small to split off
  EXPECT_EQ(it.unused, 0);
}

// Every reason once. Weights are live before the record, and stay.
TEST_F(MemoryTest, EachDifferenceHasAReason) {
  device.places = {"adam.py:7 in step"};
  segment(0, 1 << 20, {{0, 2'048, 2'000, BlockState::Allocated}, {4'096, 8'192, 8'000, BlockState::Allocated, 0}});
  segment(1 << 20, 1 << 20);
  event(AllocatorAction::CompleteFree, 1 << 20, 500); // was given back before the record
  allocate(1 << 20, 4'000);                           // of a size of the graph
  allocate((1 << 20) + 4'096, 4'000);
  event(AllocatorAction::RequestFree, (1 << 20) + 4'096, 4'000);
  allocate((1 << 20) + 8'192, 7'777); // of no size of the graph
  event(AllocatorAction::CompleteFree, (1 << 20) + 4'096, 4'000);
  allocate((1 << 20) + 4'096, 1'000); // x comes after the peak
  predicted.held.push_back({"relu", 6'000});
  predicted.peak = 9'000;
  const MemoryComparison it = compare();
  EXPECT_EQ(it.event, 5U);
  std::vector<std::tuple<MemoryReason, int64_t, size_t>> found;
  for (const auto &difference : it.differences)
    found.emplace_back(difference.reason, difference.bytes, difference.count);
  EXPECT_EQ(found, (std::vector<std::tuple<MemoryReason, int64_t, size_t>>{{MemoryReason::BeforeRecord, 8'000, 1},
                                                                           {MemoryReason::NotOfGraph, 7'777, 1},
                                                                           {MemoryReason::NeverAllocated, 6'000, 1},
                                                                           {MemoryReason::HeldLonger, 4'000, 1},
                                                                           {MemoryReason::AwaitingFree, 4'000, 1},
                                                                           {MemoryReason::FreedEarlier, 1'000, 1}}));
  EXPECT_EQ(it.differences.front().examples, std::vector<std::string>{"adam.py:7 in step"});
  EXPECT_EQ(it.differences[2].examples, std::vector<std::string>{"relu"});
}

TEST_F(MemoryTest, SegmentsAreThoseOfThePeak) {
  segment(0, 1'000'000);
  event(AllocatorAction::RemoveSegment, 2'000'000, 500'000);
  allocate(0, 1'000);
  allocate(1'024, 2'000);
  event(AllocatorAction::AddSegment, 0, 300'000);
  EXPECT_EQ(compare().segments, 700'000);
}

TEST_F(MemoryTest, WithoutEventsTheSnapshotIsThePeak) {
  segment(0, 4'096, {{0, 1'024, 1'000, BlockState::Allocated}, {1'024, 3'072, 0, BlockState::Inactive}});
  const MemoryComparison it = compare();
  EXPECT_EQ(it.events, 0U);
  EXPECT_EQ(it.requested, 1'000);
  ASSERT_EQ(it.differences.size(), 1U);
  EXPECT_EQ(it.differences.front().reason, MemoryReason::NeverAllocated);
  EXPECT_EQ(it.differences.front().examples, std::vector<std::string>{"w"});
}

TEST_F(MemoryTest, EventsThatContradictEachOtherAreErrors) {
  segment(0, 4'096);
  allocate(0, 100);
  allocate(0, 100);
  EXPECT_NE(error().find("event 2 of device 0 allocates memory that is live already, so events are missing"),
            std::string::npos);
  device.events.pop_back();
  free(0, 100);
  event(AllocatorAction::RequestFree, 0, 100);
  EXPECT_NE(error().find("event 4 of device 0 frees memory that is free already"), std::string::npos);
}

} // namespace
} // namespace ccgraph::test
