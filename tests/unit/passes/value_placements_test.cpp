// Tests how the ranks of a group hold each value: each rule, and what must stay unknown.
#include "support/rewrites.h"

#include "analysis/value_placements.h"
#include "ccgraph/passes/analyses.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using Kind = ValuePlacement::Kind;
constexpr ValuePlacement unknown;
constexpr ValuePlacement replicated{Kind::Replicated, 0};
ValuePlacement sharded(int64_t dim) { return {Kind::Sharded, dim}; }

class ValuePlacementsTest : public testing::Test {
protected:
  /// Returns the placement of the node `v` on the group of the first collective. r is replicated, s sharded on
  /// dimension 0, x unknown.
  ValuePlacement of(const std::string &line) {
    bench_.load(R"(x: "f32[4, 4][4, 1]cpu")", R"(
      a: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
      r: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
      b: "f32[2, 4][4, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(x, 'sum', 2, '0')
      s: "f32[2, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
      t: "f32[4, 2][1, 4]cpu" = torch.ops.aten.t.default(s)
      )" + line + "\n      return (v,)");
    Analyses analyses(bench_.graph());
    CommGroups groups(bench_.graph(), true);
    ValuePlacements placements(bench_.graph(), analyses.facts(), groups);
    return placements.of(*bench_["v"], groups.groupOf(bench_["a"]));
  }
  static std::string call(const std::string &text, const char *type = "f32[4, 4][4, 1]cpu") {
    return std::string("v: \"") + type + "\" = torch.ops." + text;
  }
  RewriteBench bench_;
};

TEST_F(ValuePlacementsTest, CollectivesCreatePlacements) {
  EXPECT_EQ(of(call("_c10d_functional.wait_tensor.default(r)")), replicated);
  EXPECT_EQ(of(call("_c10d_functional.wait_tensor.default(s)", "f32[2, 4][4, 1]cpu")), sharded(0));
  EXPECT_EQ(of(call("_c10d_functional.all_gather_into_tensor.default(x, 2, '0')", "f32[8, 4][4, 1]cpu")), replicated);
  EXPECT_EQ(of(call("_c10d_functional.broadcast.default(x, 0, '0')")), replicated);
  EXPECT_EQ(of(call("_c10d_functional.all_to_all_single.default(r, [2, 2], [2, 2], '0')")), unknown);
}

TEST_F(ValuePlacementsTest, PlacementsAreThoseOfOneGroup) {
  EXPECT_EQ(of(call("_c10d_functional.all_reduce.default(x, 'sum', '1')")), unknown);
  EXPECT_EQ(of(call("_c10d_functional.all_reduce.default(r, 'sum', '1')")), unknown);
}

TEST_F(ValuePlacementsTest, InputsAreUnknown) { EXPECT_EQ(of(call("aten.neg.default(x)")), unknown); }

TEST_F(ValuePlacementsTest, ViewsOfAllElementsKeepThem) {
  EXPECT_EQ(of(call("aten.view.default(r, [16])", "f32[16][1]cpu")), replicated);
  EXPECT_EQ(of(call("aten.t.default(r)", "f32[4, 4][1, 4]cpu")), replicated);
  EXPECT_EQ(of(call("aten.t.default(s)", "f32[4, 2][1, 4]cpu")), sharded(1));
  EXPECT_EQ(of(call("aten.view.default(s, [2, 2, 2])", "f32[2, 2, 2][4, 2, 1]cpu")), sharded(0));
  EXPECT_EQ(of(call("aten.view.default(s, [8])", "f32[8][1]cpu")), unknown);
}

/// A literal offset may differ by rank, so a part of equal values may differ too.
TEST_F(ValuePlacementsTest, PartsAreUnknown) {
  EXPECT_EQ(of(call("aten.slice.Tensor(r, 0, 0, 2)", "f32[2, 4][4, 1]cpu")), unknown);
  EXPECT_EQ(of(call("aten.select.int(r, 0, 1)", "f32[4][1]cpu")), unknown);
}

TEST_F(ValuePlacementsTest, ElementwiseOperatorsKeepThem) {
  EXPECT_EQ(of(call("aten.add.Tensor(r, r)")), replicated);
  EXPECT_EQ(of(call("aten.neg.default(s)", "f32[2, 4][4, 1]cpu")), sharded(0));
  EXPECT_EQ(of(call("aten._to_copy.default(r, dtype = torch.bfloat16)", "bf16[4, 4][4, 1]cpu")), replicated);
  EXPECT_EQ(of(call("aten.add.Tensor(r, x)")), unknown);
  EXPECT_EQ(of(call("aten.add.Tensor(r, 3)")), unknown);
  EXPECT_EQ(of(call("aten.mul.Tensor(r, 0.5)")), unknown);
}

/// Kernels may add in an order that differs by device, so sums within a rank may differ in their last bits.
TEST_F(ValuePlacementsTest, SumsWithinARankAreUnknown) {
  EXPECT_EQ(of(call("aten.mm.default(r, r)")), unknown);
  EXPECT_EQ(of(call("aten.sum.default(r)", "f32[][]cpu")), unknown);
}

TEST_F(ValuePlacementsTest, ProductsOfShards) {
  EXPECT_EQ(of(call("aten.mm.default(s, r)", "f32[2, 4][4, 1]cpu")), sharded(0));
  EXPECT_EQ(of(call("aten.mm.default(r, t)", "f32[4, 2][2, 1]cpu")), sharded(1));
  EXPECT_EQ(of(call("aten.mm.default(t, s)")).kind, Kind::PartialSum);
  EXPECT_EQ(of(call("aten.mm.default(s, t)", "f32[2, 2][2, 1]cpu")), unknown);
}

TEST_F(ValuePlacementsTest, FunctionsOfPartialSumsAreUnknown) {
  EXPECT_EQ(of("p: \"f32[4, 4][4, 1]cpu\" = torch.ops.aten.mm.default(t, s)\n      " + call("aten.exp.default(p)")),
            unknown);
}

TEST_F(ValuePlacementsTest, WrittenValuesAreUnknown) {
  EXPECT_EQ(of(call("aten.alias.default(r)") + "\n      w: \"f32[4, 4][4, 1]cpu\" = torch.ops.aten.add_.Tensor(r, x)"),
            unknown);
}

TEST_F(ValuePlacementsTest, RandomValuesAreUnknown) { EXPECT_EQ(of(call("aten.rand_like.default(r)")), unknown); }

/// The proof of v has 2 steps for r and one for each negation.
TEST_F(ValuePlacementsTest, LongProofsAreGivenUp) {
  auto negations = [&](uint32_t count) {
    std::string lines, last = "r";
    for (uint32_t i = 1; i < count; ++i, last = "n" + std::to_string(i - 1))
      lines += "n" + std::to_string(i) + ": \"f32[4, 4][4, 1]cpu\" = torch.ops.aten.neg.default(" +
               (i == 1 ? std::string("r") : "n" + std::to_string(i - 1)) + ")\n      ";
    return of(lines + call("aten.neg.default(n" + std::to_string(count - 1) + ")"));
  };
  EXPECT_EQ(negations(ValuePlacements::mostSteps - 2), replicated);
  EXPECT_EQ(negations(ValuePlacements::mostSteps - 1), unknown);
}

} // namespace
} // namespace ccgraph::test
