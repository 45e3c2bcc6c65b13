// Tests the time of a collective against numbers that were computed outside this library.
#include "cost/arithmetic.h"
#include "cost/collective_time.h"
#include "cost/nccl_rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ccgraph {
namespace {

Machine preset(llvm::StringRef name) { return *machinePreset(name); }

double latency(const CollectiveShape &shape, nccl::Algorithm algorithm, nccl::Protocol protocol) {
  return ncclTime(preset("h100x8"), shape, algorithm, protocol)->latency;
}

// The numbers follow from the formulas of NCCL's tuning.cc, computed by hand for eight ranks joined by NVLink.
TEST(CollectiveTime, LatenciesOfNcclOnOneNode) {
  using nccl::Algorithm;
  using nccl::Protocol;
  const CollectiveShape reduce{CollectiveKind::AllReduce, 1, {8, 1}};
  EXPECT_NEAR(latency(reduce, Algorithm::Ring, Protocol::LL), 15.0, .051);
  EXPECT_NEAR(latency(reduce, Algorithm::Ring, Protocol::LL128), 40.6, .051);
  EXPECT_NEAR(latency(reduce, Algorithm::Ring, Protocol::Simple), 56.0, .051);
  EXPECT_NEAR(latency(reduce, Algorithm::Tree, Protocol::LL), 15.2, .051);
  EXPECT_NEAR(latency(reduce, Algorithm::Tree, Protocol::LL128), 31.5, .051);
  EXPECT_NEAR(latency(reduce, Algorithm::Tree, Protocol::Simple), 64.4, .051);
  const CollectiveShape gather{CollectiveKind::AllGather, 1, {8, 1}};
  EXPECT_NEAR(latency(gather, Algorithm::Ring, Protocol::LL), 10.8, .051);
  EXPECT_NEAR(latency(gather, Algorithm::Ring, Protocol::LL128), 27.3, .051);
  EXPECT_NEAR(latency(gather, Algorithm::Ring, Protocol::Simple), 32.2, .051);
}

struct Priced {
  CollectiveShape shape;
  double microseconds;
};

// The numbers come from a Python program with PyTorch's estimator, limited to line rate.
TEST(CollectiveTime, RulesOfPyTorch) {
  constexpr CollectiveKind reduce = CollectiveKind::AllReduce;
  constexpr CollectiveKind gather = CollectiveKind::AllGather;
  const Priced table[] = {
      {{reduce, 1 << 20, {8, 1}}, 28.014241},
      {{reduce, 1 << 30, {8, 1}}, 5134.508627},
      {{gather, 1 << 28, {64, 8}}, 5581.62304},
      {{reduce, 1 << 28, {64, 8}}, 11154.84608},
      {{gather, 8192, {8, 8}}, 25.851373},
      {{reduce, 1000, {16, 2}}, 30.989324},
      {{gather, 8589934592, {512, 64}}, 173876.74752},
  };
  for (const Priced &row : table)
    EXPECT_NEAR(collectiveMicroseconds(preset("h100x8-ndr"), row.shape), row.microseconds, 1e-6 * row.microseconds)
        << collectiveName(row.shape.kind).str() << " of " << row.shape.bytes;
}

// Four ranks reduce in 2 * 3 steps, and each step moves a quarter: 6/4 of 8 MB at 2 GB/s are 6,000 us.
TEST(CollectiveTime, LinearRulesTakeAFit) {
  Machine machine = preset("cpu");
  const CollectiveShape shape{CollectiveKind::AllReduce, 8'000'000, {4, 1}};
  const double before = collectiveMicroseconds(machine, shape);
  machine.linear = {{CollectiveKind::AllReduce, 10'000'000, 5'000'000, 2'000'000'000}};
  EXPECT_NEAR(collectiveMicroseconds(machine, shape), 10 + 6 * 5 + 6000, 1e-9);
  machine.linear.front().kind = CollectiveKind::AllGather;
  EXPECT_EQ(collectiveMicroseconds(machine, shape), before);
}

struct Published {
  CollectiveKind kind;
  int64_t bytes;
  Placement placement;
  /// bus bandwidth of nccl-tests in GB/s, and the permitted deviation of the model
  double busbw;
  double within;
};

// The numbers are reports of NCCL's authors and users about H100 nodes: 370 GB/s for all but all_reduce, 480 for
// all_reduce in the switch (nccl-tests issue 212), 340 for an all_gather of 2 GB over 256 ranks (nccl issue 1218).
TEST(CollectiveTime, BusBandwidthsThatArePublished) {
  const Published table[] = {
      {CollectiveKind::AllGather, int64_t(8) << 30, {8, 1}, 370, .02},
      {CollectiveKind::ReduceScatter, int64_t(8) << 30, {8, 1}, 370, .02},
      {CollectiveKind::AllReduce, int64_t(8) << 30, {8, 1}, 480, .02},
      {CollectiveKind::AllGather, int64_t(2) << 30, {256, 32}, 340, .12},
  };
  for (const Published &row : table) {
    const double ranks = static_cast<double>(row.placement.ranks);
    const double factor = (row.kind == CollectiveKind::AllReduce ? 2 : 1) * (ranks - 1) / ranks;
    const double microseconds = collectiveMicroseconds(preset("h100x8"), {row.kind, row.bytes, row.placement});
    EXPECT_NEAR(static_cast<double>(row.bytes) / microseconds * 1e-3 * factor / row.busbw, 1, row.within)
        << collectiveName(row.kind).str() << " on " << row.placement.ranks;
  }
}

TEST(CollectiveTime, OneRankCommunicatesWithNobody) {
  for (const std::string &name : machinePresetNames())
    EXPECT_EQ(collectiveMicroseconds(preset(name), {CollectiveKind::AllReduce, 1 << 20, {1, 1}}), 0) << name;
}

// More bytes must not take less time on any machine, since passes that merge rely on it. The tree's table of
// corrections has dips, so a larger message may be a few percent faster, as in NCCL itself; twice the bytes never are.
TEST(CollectiveTime, TwiceTheBytesAreNotFaster) {
  const CollectiveKind kinds[] = {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
                                  CollectiveKind::AllToAll,  CollectiveKind::Broadcast, CollectiveKind::Send};
  for (const std::string &name : machinePresetNames())
    for (CollectiveKind kind : kinds)
      for (Placement placement :
           {Placement{2, 1}, Placement{8, 1}, Placement{8, 8}, Placement{16, 2}, Placement{64, 8}})
        for (int64_t bytes = 1; bytes < int64_t(1) << 40; bytes *= 2)
          EXPECT_LE(collectiveMicroseconds(preset(name), {kind, bytes, placement}),
                    collectiveMicroseconds(preset(name), {kind, 2 * bytes, placement}))
              << name << ' ' << collectiveName(kind).str() << ' ' << bytes << " on " << placement.nodes;
}

TEST(CostArithmetic, PowerIsAsGoodAsItSays) {
  for (double exponent : {-4.0, -1.0, -.17, .17, .5, 1.0, 2.5, 4.0})
    for (double base = 1e-6; base < 1e9; base *= 1.37)
      EXPECT_NEAR(power(base, exponent) / std::pow(base, exponent), 1, 1e-13) << base << " ^ " << exponent;
}

TEST(CostArithmetic, Rounds) {
  EXPECT_EQ(rounded(-1), 0);
  EXPECT_EQ(rounded(.49), 0);
  EXPECT_EQ(rounded(.5), 1);
  EXPECT_EQ(rounded(1e30), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(rounded(std::nan("")), 0);
  EXPECT_EQ(floorLog2(1), 0);
  EXPECT_EQ(floorLog2(1023), 9);
  EXPECT_EQ(floorLog2(1024), 10);
}

} // namespace
} // namespace ccgraph
