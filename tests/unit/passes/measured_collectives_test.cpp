// Tests estimated times from timed collectives, and durations by operator.
#include "cost/collective_time.h"
#include "cost/given_durations.h"
#include "cost/measured_collectives.h"

#include "support/program_builder.h"

#include <gtest/gtest.h>

#include <set>

namespace ccgraph::test {
namespace {

constexpr CollectiveKind gather = CollectiveKind::AllGather;

Machine withSamples(std::vector<CollectiveSample> samples) {
  Machine machine = *machinePreset("h100x8");
  machine.measured = sortedSamples(std::move(samples));
  return machine;
}

TEST(MeasuredCollectives, BetweenSizesTimeGrowsEvenly) {
  const Machine machine = withSamples({{gather, 8, 1, 1000, 20'000'000}, {gather, 8, 1, 3000, 40'000'000}});
  EXPECT_EQ(measuredMicroseconds(machine, {gather, 10, {8, 1}}), 20);
  EXPECT_EQ(measuredMicroseconds(machine, {gather, 1000, {8, 1}}), 20);
  EXPECT_EQ(measuredMicroseconds(machine, {gather, 2000, {8, 1}}), 30);
  EXPECT_EQ(measuredMicroseconds(machine, {gather, 3000, {8, 1}}), 40);
  EXPECT_EQ(measuredMicroseconds(machine, {gather, 5000, {8, 1}}), 60);
}

TEST(MeasuredCollectives, OneSizeGrowsWithTheBytes) {
  const Machine machine = withSamples({{gather, 8, 1, 1000, 20'000'000}});
  EXPECT_EQ(measuredMicroseconds(machine, {gather, 3000, {8, 1}}), 60);
}

TEST(MeasuredCollectives, OtherKindsAndPlacesHoldToTheRules) {
  const Machine machine = withSamples({{gather, 8, 1, 1000, 20'000'000}});
  EXPECT_EQ(measuredMicroseconds(machine, {CollectiveKind::AllReduce, 1000, {8, 1}}), std::nullopt);
  EXPECT_EQ(measuredMicroseconds(machine, {gather, 1000, {8, 8}}), std::nullopt);
  EXPECT_EQ(measuredMicroseconds(machine, {gather, 1000, {4, 1}}), std::nullopt);
  const CollectiveShape shape{gather, 1000, {8, 8}};
  EXPECT_EQ(collectiveMicroseconds(machine, shape), collectiveMicroseconds(*machinePreset("h100x8"), shape));
}

TEST(MeasuredCollectives, MeasuredSizesAreWhereTheFormulaChanges) {
  const Machine machine = withSamples({{gather, 8, 1, 1000, 20'000'000}, {gather, 8, 1, 3000, 40'000'000}});
  EXPECT_EQ(collectiveTimePieces(machine, {gather, 0, {8, 1}}), std::vector<int64_t>({1000, 3000}));
}

// Between two sizes where the formula changes, the best rate is that of the first or the last size.
TEST(CollectiveTimePieces, RatesOnlyRiseOrOnlyFallBetweenThem) {
  for (llvm::StringRef name : {"h100x8-ndr", "h100x8", "a100x8"})
    for (CollectiveKind kind : {CollectiveKind::AllReduce, gather, CollectiveKind::AllToAll})
      for (int64_t ranks : {8, 24, 64}) {
        const std::optional<Machine> machine = machinePreset(name);
        ASSERT_TRUE(machine) << name.str();
        CollectiveShape shape{kind, 0, {ranks, ranks / 8}};
        auto rate = [&](int64_t bytes) {
          shape.bytes = bytes;
          return collectiveMicroseconds(*machine, shape) / static_cast<double>(bytes);
        };
        std::set<int64_t> sizes;
        for (int64_t piece : collectiveTimePieces(*machine, shape))
          sizes.insert({piece - 1, piece});
        for (int64_t power = 64; power <= int64_t{1} << 34; power *= 2)
          sizes.insert({power - 1, power});
        for (auto at = sizes.begin(), next = std::next(at); next != sizes.end(); ++at, ++next)
          for (int64_t part = 1; part < 16; ++part) {
            int64_t inside = *at + (*next - *at) * part / 16;
            EXPECT_GE(rate(inside), std::min(rate(*at), rate(*next)) * (1 - 1e-12)) << inside << " bytes";
          }
      }
}

class GivenDurationsTest : public testing::Test {
protected:
  GivenDurationsTest() : graph_(context_), p_(graph_) {
    Node *x = p_.input("x", p_.f32({4}));
    for (int i = 0; i < 2; ++i)
      launches_.push_back(p_.call("_c10d_functional.all_reduce.default", p_.f32({4}), {x, "sum", "0"}));
    p_.output(launches_);
  }
  void addCalls(size_t count) {
    for (size_t i = 0; i < count; ++i)
      durations_.addCall("_c10d_functional.all_reduce.default",
                         {static_cast<int64_t>(i + 1), DurationSource::Estimated});
  }

  Context context_;
  Graph graph_;
  ProgramBuilder p_;
  std::vector<Node *> launches_;
  Durations durations_;
};

TEST_F(GivenDurationsTest, CallsComeInProgramOrder) {
  addCalls(2);
  const GivenDurations given(graph_, &durations_);
  EXPECT_EQ(given.of(*launches_[0]), (Duration{1, DurationSource::Estimated}));
  EXPECT_EQ(given.of(*launches_[1]), (Duration{2, DurationSource::Estimated}));
}

TEST_F(GivenDurationsTest, AnotherNumberOfCallsIsAnotherProgram) {
  addCalls(3);
  EXPECT_EQ(GivenDurations(graph_, &durations_).of(*launches_[0]), std::nullopt);
}

TEST_F(GivenDurationsTest, ANameComesBeforeWhatTheNodeCarries) {
  graph_.setProvenance(launches_[0], graph_.makeProvenance({.durationPs = 7}));
  graph_.setProvenance(launches_[1], graph_.makeProvenance({.durationPs = 8}));
  durations_.add(launches_[0]->name().str(), {9});
  const GivenDurations given(graph_, &durations_);
  EXPECT_EQ(given.of(*launches_[0])->picoseconds, 9);
  EXPECT_EQ(given.of(*launches_[1])->picoseconds, 8);
}

} // namespace
} // namespace ccgraph::test
