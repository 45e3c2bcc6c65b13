// What a collective takes, against figures that were worked out outside of this library.
#include "cost/arithmetic.h"
#include "cost/collective_time.h"
#include "cost/nccl_rules.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ccgraph {
namespace {

Machine preset(llvm::StringRef name) { return *machinePreset(name); }

double latency(const CollectiveShape &shape, nccl::Algorithm algorithm, nccl::Protocol protocol) {
  return ncclTime(preset("h100x8"), shape, algorithm, protocol)->latency;
}

// From the formulas of NCCL's tuning.cc, worked out by hand for eight ranks that NVLink joins.
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

// Worked out by a Python program that states PyTorch's estimator, capped at line rate.
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

TEST(CollectiveTime, OneRankCommunicatesWithNobody) {
  for (const std::string &name : machinePresetNames())
    EXPECT_EQ(collectiveMicroseconds(preset(name), {CollectiveKind::AllReduce, 1 << 20, {1, 1}}), 0) << name;
}

// Not more for more bytes, on any machine: a pass that merges relies on it. The tree's table of corrections has dips, so
// a larger message may be a few percent faster, as in NCCL itself; twice the bytes never are.
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
