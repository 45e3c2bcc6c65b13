// Tests that a fit finds the numbers from which collectives were made, and its error on those that it has not seen.
#include "ccgraph/passes/machine_fit.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr int64_t us = 1'000'000;

/// An all_gather of n ranks: 10 us, 2 us a step, and 4 GB/s.
CollectiveSample gathered(int64_t ranks, int64_t bytes) {
  const int64_t steps = ranks - 1;
  return {CollectiveKind::AllGather, ranks, 1, bytes, 10 * us + 2 * us * steps + bytes * steps * 250 / ranks};
}

std::vector<CollectiveSample> gatheredSizes() {
  std::vector<CollectiveSample> samples;
  for (int64_t ranks : {2, 4, 8})
    for (int64_t bytes = 1 << 12; bytes <= 1 << 24; bytes *= 4)
      samples.push_back(gathered(ranks, bytes));
  return samples;
}

TEST(MachineFit, FindsTheNumbersOfAKind) {
  const FittedMachine it = fitMachine(gatheredSizes(), *machinePreset("cpu"));
  ASSERT_EQ(it.collectives.size(), 1U);
  const FittedCollectives &line = it.collectives.front();
  EXPECT_EQ(line.kind, CollectiveKind::AllGather);
  EXPECT_NEAR(line.baseUs, 10, 0.01);
  EXPECT_NEAR(line.stepUs, 2, 0.01);
  EXPECT_NEAR(static_cast<double>(line.bytesPerSecond), 4e9, 4e6);
  EXPECT_EQ(line.fitted.samples, 12U);
  EXPECT_EQ(line.heldOut.samples, 9U);
  EXPECT_LT(line.heldOut.ninetieth, 0.001);
  EXPECT_EQ(it.machine.rules, CollectiveRules::Linear);
  EXPECT_EQ(it.machine.linear.size(), 1U);
  EXPECT_TRUE(it.machine.measured.empty());
}

// One collective that waited for a rank does not change what the others show.
TEST(MachineFit, OneOutlierHasLittleInfluence) {
  std::vector<CollectiveSample> samples = gatheredSizes();
  samples[2].picoseconds *= 5;
  const FittedMachine it = fitMachine(samples, *machinePreset("cpu"));
  EXPECT_NEAR(static_cast<double>(it.collectives.front().bytesPerSecond), 4e9, 1e8);
  EXPECT_GT(it.collectives.front().fitted.ninetieth, it.collectives.front().fitted.median);
}

TEST(MachineFit, TheLinkAcrossNodesServesAllKinds) {
  std::vector<CollectiveSample> samples;
  for (int64_t bytes : {1'000, 100'000, 10'000'000}) {
    samples.push_back({CollectiveKind::AllGather, 4, 4, bytes, 3 * 5 * us + bytes * 3 / 4 * 100});
    samples.push_back({CollectiveKind::AllReduce, 4, 4, bytes, 6 * 5 * us + bytes * 6 / 4 * 100});
  }
  const FittedMachine it = fitMachine(samples, *machinePreset("h100x8"));
  ASSERT_EQ(it.collectives.size(), 1U);
  EXPECT_FALSE(it.collectives.front().kind.has_value());
  EXPECT_EQ(it.collectives.front().level, LinkLevel::Inter);
  EXPECT_NEAR(static_cast<double>(it.machine.inter.latencyPs), 5.0 * us, 0.01 * us);
  EXPECT_NEAR(static_cast<double>(it.machine.inter.bytesPerSecond), 1e10, 1e7);
  EXPECT_EQ(it.collectives.front().heldOut.samples, 2U);
}

// With two sizes, nothing is held out; a group of one rank shows nothing.
TEST(MachineFit, FewSamples) {
  const FittedMachine it = fitMachine(
      {gathered(2, 4'096), gathered(2, 65'536), {CollectiveKind::AllReduce, 1, 1, 8, 5}}, *machinePreset("cpu"));
  ASSERT_EQ(it.collectives.size(), 1U);
  EXPECT_EQ(it.collectives.front().heldOut.samples, 0U);
  EXPECT_LT(it.collectives.front().fitted.ninetieth, 0.001);
}

} // namespace
} // namespace ccgraph::test
