// Tests which operators are treated as one kernel, and which node each byte is attributed to.
#include "cost/fusion_regions.h"

#include "support/program_builder.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

class FusionRegionsTest : public testing::Test {
protected:
  FusionRegionsTest() : graph_(context_), p_(graph_), matrix_(p_.f32({8, 8})) {}

  Node *pointwise(const char *target, std::vector<Actual> args) { return p_.call(target, matrix_, std::move(args)); }
  Node *product(Node *a, Node *b) { return p_.call("aten.mm.default", matrix_, {a, b}); }
  Node *gathered(Node *x) {
    Node *launch = p_.call("_c10d_functional.all_reduce.default", matrix_, {x, "sum", "0"});
    return p_.call("_c10d_functional.wait_tensor.default", matrix_, {launch});
  }
  static bool together(const FusionRegions &regions, const Node *a, const Node *b) {
    return regions.regionOf(*a) != FusionRegions::noRegion && regions.regionOf(*a) == regions.regionOf(*b);
  }

  static constexpr double bytes_ = 8 * 8 * 4;
  Context context_;
  Graph graph_;
  ProgramBuilder p_;
  const Type *matrix_;
};

// Values inside the kernel cost nothing; x is read once, although two operators read it.
TEST_F(FusionRegionsTest, AChainCostsWhatItsEndsCost) {
  Node *x = p_.input("x", matrix_);
  Node *sigmoid = pointwise("aten.sigmoid.default", {x});
  Node *mul = pointwise("aten.mul.Tensor", {sigmoid, x});
  Node *neg = pointwise("aten.neg.default", {mul});
  p_.output({neg});
  const FusionRegions regions(graph_);
  EXPECT_EQ(regions.numRegions(), 1U);
  EXPECT_TRUE(together(regions, sigmoid, neg));
  EXPECT_EQ(regions.bytesOf(*sigmoid), bytes_);
  EXPECT_EQ(regions.bytesOf(*mul), 0);
  EXPECT_EQ(regions.bytesOf(*neg), bytes_);
  EXPECT_TRUE(regions.isFirst(*sigmoid));
  EXPECT_FALSE(regions.isFirst(*neg));
}

// The product reads the value in the middle, so it is written to memory; y reads it inside the kernel.
TEST_F(FusionRegionsTest, WhatOthersReadIsWritten) {
  Node *x = p_.input("x", matrix_);
  Node *sigmoid = pointwise("aten.sigmoid.default", {x});
  Node *mm = product(sigmoid, x);
  Node *neg = pointwise("aten.neg.default", {sigmoid});
  p_.output({mm, neg});
  const FusionRegions regions(graph_);
  EXPECT_TRUE(together(regions, sigmoid, neg)) << "the order of the program has no part in it";
  EXPECT_EQ(regions.bytesOf(*sigmoid), 2 * bytes_);
  EXPECT_EQ(regions.bytesOf(*neg), bytes_);
  EXPECT_EQ(regions.regionOf(*mm), FusionRegions::noRegion);
}

// add depends on the product, and the product depends on sigmoid: one kernel cannot be both before and after it.
TEST_F(FusionRegionsTest, AProductBetweenKeepsApart) {
  Node *x = p_.input("x", matrix_);
  Node *sigmoid = pointwise("aten.sigmoid.default", {x});
  Node *mm = product(sigmoid, x);
  Node *add = pointwise("aten.add.Tensor", {sigmoid, mm});
  p_.output({add});
  const FusionRegions regions(graph_);
  EXPECT_FALSE(together(regions, sigmoid, add));
  EXPECT_EQ(regions.bytesOf(*add), 3 * bytes_);
  EXPECT_TRUE(regions.isAlone(*add));
}

TEST_F(FusionRegionsTest, ACollectiveBetweenKeepsApart) {
  Node *x = p_.input("x", matrix_);
  Node *sigmoid = pointwise("aten.sigmoid.default", {x});
  Node *reduced = gathered(sigmoid);
  Node *add = pointwise("aten.add.Tensor", {sigmoid, reduced});
  p_.output({add});
  const FusionRegions regions(graph_);
  EXPECT_FALSE(together(regions, sigmoid, add));
  EXPECT_EQ(regions.bytesOf(*add), 3 * bytes_);
}

// A gathered parameter from elsewhere does not split the kernel: the collective does not depend on the chain.
TEST_F(FusionRegionsTest, ACollectiveBesideKeepsNothingApart) {
  Node *x = p_.input("x", matrix_);
  Node *weight = p_.input("weight", matrix_);
  Node *sigmoid = pointwise("aten.sigmoid.default", {x});
  Node *cast = pointwise("aten.neg.default", {weight});
  Node *mul = pointwise("aten.mul.Tensor", {sigmoid, gathered(cast)});
  p_.output({mul});
  const FusionRegions regions(graph_);
  EXPECT_TRUE(together(regions, sigmoid, mul));
  EXPECT_FALSE(together(regions, cast, mul));
}

TEST_F(FusionRegionsTest, ViewsJoinAndCostNothing) {
  Node *x = p_.input("x", matrix_);
  Node *half = p_.call("aten.slice.Tensor", p_.strided(matrix_, {4, 8}, {8, 1}), {x, 0, 0, 4});
  Node *sigmoid = p_.call("aten.sigmoid.default", p_.f32({4, 8}), {half});
  Node *turned = p_.call("aten.t.default", p_.strided(matrix_, {8, 4}, {1, 8}), {sigmoid});
  Node *neg = p_.call("aten.neg.default", p_.f32({8, 4}), {turned});
  p_.output({neg});
  const FusionRegions regions(graph_);
  EXPECT_TRUE(together(regions, sigmoid, neg));
  EXPECT_EQ(regions.bytesOf(*sigmoid), bytes_ / 2) << "what the slice shows";
  EXPECT_EQ(regions.regionOf(*half), FusionRegions::noRegion);
}

TEST_F(FusionRegionsTest, WhatIsRepeatedIsReadOnce) {
  Node *row = p_.input("row", p_.f32({1, 8}));
  Node *repeated =
      p_.call("aten.expand.default", p_.strided(matrix_, {8, 8}, {0, 1}), {row, std::vector<int64_t>{8, 8}});
  Node *neg = pointwise("aten.neg.default", {repeated});
  p_.output({neg});
  EXPECT_EQ(FusionRegions(graph_).bytesOf(*neg), bytes_ / 8 + bytes_);
}

// The list has no type, but its elements have types.
TEST_F(FusionRegionsTest, ElementsTellTheSizeOfAList) {
  Node *x = p_.input("x", matrix_);
  Node *list = p_.call("aten.split_with_sizes_copy.default", nullptr, {x, std::vector<int64_t>{3, 5}});
  Node *first = p_.call("operator.getitem", p_.f32({3, 8}), {list, 0});
  Node *second = p_.call("operator.getitem", p_.f32({5, 8}), {list, 1});
  p_.output({first, second});
  EXPECT_EQ(FusionRegions(graph_).bytesOf(*list), 2 * bytes_);
}

TEST_F(FusionRegionsTest, AnUnknownSizeIsSaid) {
  Node *x = p_.input("x", nullptr);
  Node *neg = pointwise("aten.neg.default", {x});
  p_.output({neg});
  EXPECT_EQ(FusionRegions(graph_).bytesOf(*neg), std::nullopt);
}

// Hundreds of collectives feed one chain, more than are recorded, and still no illegal fusion happens.
TEST_F(FusionRegionsTest, ManyCollectives) {
  Node *x = p_.input("x", matrix_);
  std::vector<Node *> links;
  Node *last = x;
  for (int i = 0; i < 300; ++i) {
    links.push_back(pointwise("aten.neg.default", {last}));
    last = gathered(links.back());
  }
  Node *sum = links.front();
  for (Node *link : links)
    sum = pointwise("aten.add.Tensor", {sum, link});
  p_.output({sum});
  const FusionRegions regions(graph_);
  for (size_t i = 1; i < links.size(); ++i)
    EXPECT_FALSE(together(regions, links[i - 1], links[i]));
  EXPECT_FALSE(together(regions, links.front(), sum));
}

} // namespace
} // namespace ccgraph::test
