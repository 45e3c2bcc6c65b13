// Tests async pairs and regions: which wait completes which launch, and which part of its storage a value covers.
#include "ccgraph/ir/async_pairs.h"
#include "storages/region.h"
#include "unit/ir/program.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

using test::Item;
using test::list;
using test::Program;

class AsyncPairsTest : public testing::Test {
protected:
  Node *gatherInto(const char *name, Node *x, Node *buffer) {
    return p_.call(name, "_c10d_functional.all_gather_into_tensor_out.default", {x, 2, "0"}, {{"out", buffer}},
                   "f32[4, 4][4, 1]cpu");
  }
  Node *wait(const char *name, Node *x) {
    return p_.call(name, "_c10d_functional.wait_tensor.default", {x}, "f32[4, 4][4, 1]cpu");
  }
  Node *slice(const char *name, Node *x, int begin, int end) {
    return p_.call(name, "aten.slice.Tensor", {x, 0, begin, end}, "f32[4, 4][4, 1]cpu");
  }
  /// Returns the region at the end of the program.
  std::optional<Region> region(const Node *value) {
    std::string name = "reader" + std::to_string(readers_++);
    return regionOf(*value, *p_.call(name.c_str(), "aten.relu.default", {x_}, "f32[2, 4][4, 1]cpu"));
  }
  static std::vector<Node *> all(llvm::ArrayRef<Node *> nodes) { return nodes.vec(); }

  Program p_;
  int readers_ = 0;
  Node *x_ = p_.input("x", "f32[2, 4][4, 1]cpu");
  Node *buffer_ = p_.call("b", "aten.empty.memory_format", {list({8, 4})}, "f32[8, 4][4, 1]cpu");
};

TEST_F(AsyncPairsTest, AWaitCompletesAllLaunchesInItsStorage) {
  Node *first = gatherInto("first", x_, slice("s0", buffer_, 0, 4));
  Node *second = gatherInto("second", x_, slice("s1", buffer_, 4, 8));
  Node *early = wait("early", second);
  Node *late = wait("late", first);
  AsyncPairs asyncPairs(p_.graph, StorageMap(p_.graph));
  EXPECT_EQ(all(asyncPairs.completes(early)), (std::vector<Node *>{first, second}));
  EXPECT_TRUE(asyncPairs.completes(late).empty());
  EXPECT_EQ(all(asyncPairs.waitsOf(first)), std::vector<Node *>{early});
  EXPECT_FALSE(asyncPairs.staysOpen(first) || asyncPairs.staysOpen(second) || asyncPairs.waitsForOthers(late));
}

TEST_F(AsyncPairsTest, ACompletionHasTheWaitsUpToTheNextLaunch) {
  Node *s0 = slice("s0", buffer_, 0, 4);
  Node *first = gatherInto("first", x_, s0);
  Node *second = gatherInto("second", x_, slice("s1", buffer_, 4, 8));
  Node *early = wait("early", second);
  Node *late = wait("late", first);
  Node *third = gatherInto("third", x_, s0);
  Node *last = wait("last", third);
  AsyncPairs asyncPairs(p_.graph, StorageMap(p_.graph));
  ASSERT_EQ(asyncPairs.completions().size(), 2U);
  EXPECT_EQ(all(asyncPairs.completions()[0].launches), (std::vector<Node *>{first, second}));
  EXPECT_EQ(all(asyncPairs.completions()[0].waits), (std::vector<Node *>{early, late}));
  EXPECT_EQ(all(asyncPairs.completions()[1].launches), std::vector<Node *>{third});
  EXPECT_EQ(all(asyncPairs.completions()[1].waits), std::vector<Node *>{last});
}

TEST_F(AsyncPairsTest, AWrapperDoesNotWaitOnItsPredecessors) {
  Graph &body = p_.graph.addSubgraph(p_.id("body"));
  Node *inner = GraphBuilder(body).input("a", nullptr);
  Node *waiting = GraphBuilder(body).call({.target = "_c10d_functional.wait_tensor.default", .args = {inner}});
  GraphBuilder(body).output({waiting});
  Node *before = p_.call("before", "_c10d_functional.all_reduce.default", {x_, "sum", "0"}, "f32[2, 4][4, 1]cpu");
  Node *launch = p_.call("launch", "_c10d_functional.all_reduce.default", {x_, "sum", "0"}, "f32[2, 4][4, 1]cpu");
  Node *wrapper = p_.call("wrapper", "higher_order.control_deps", {list({before}), p_.attribute("body"), launch},
                          "f32[2, 4][4, 1]cpu");
  AsyncPairs asyncPairs(p_.graph, StorageMap(p_.graph));
  EXPECT_EQ(all(asyncPairs.completes(wrapper)), std::vector<Node *>{launch});
  EXPECT_TRUE(asyncPairs.staysOpen(before));
}

TEST_F(AsyncPairsTest, EachResultOfAListHasItsOwnFirstWait) {
  Node *launch = p_.call("l", "_c10d_functional.all_reduce_coalesced.default", {list({x_, x_}), "sum", "0"});
  Node *one = p_.call("one", "operator.getitem", {launch, 1}, "f32[2, 4][4, 1]cpu");
  Node *completed = wait("w", one);
  AsyncPairs asyncPairs(p_.graph, StorageMap(p_.graph));
  EXPECT_EQ(all(asyncPairs.waitsOf(launch)), std::vector<Node *>{completed});
  p_.call("zero", "operator.getitem", {launch, 0}, "f32[2, 4][4, 1]cpu");
  Node *other = wait("other", x_);
  AsyncPairs more(p_.graph, StorageMap(p_.graph));
  EXPECT_TRUE(more.staysOpen(launch)) << "its element 0 is never waited for";
  EXPECT_TRUE(more.waitsForOthers(other));
}

TEST_F(AsyncPairsTest, RegionsOfViews) {
  auto at = [&](const Node *value) {
    std::optional<Region> found = region(value);
    return found ? std::make_pair(found->begin, found->end) : std::make_pair(int64_t{-1}, int64_t{-1});
  };
  Node *low = slice("low", buffer_, 0, 4);
  Node *high = slice("high", buffer_, 4, 8);
  Node *row = p_.call("row", "aten.select.int", {high, 0, -1}, "f32[4][1]cpu");
  Node *column = p_.call("column", "aten.select.int", {buffer_, 1, 1}, "f32[8][4]cpu");
  Node *flat = p_.call("flat", "aten.view.default", {high, list({16})}, "f32[16][1]cpu");
  EXPECT_EQ(at(buffer_), std::make_pair(int64_t{0}, int64_t{128}));
  EXPECT_EQ(at(high), std::make_pair(int64_t{64}, int64_t{128}));
  EXPECT_EQ(at(row), std::make_pair(int64_t{112}, int64_t{128}));
  EXPECT_EQ(at(column), std::make_pair(int64_t{4}, int64_t{120}));
  EXPECT_EQ(at(flat), at(high));
  EXPECT_EQ(at(gatherInto("filled", x_, high)), at(high));
  EXPECT_TRUE(disjoint(region(low), region(row)));
  EXPECT_FALSE(disjoint(region(high), region(row)));
  EXPECT_FALSE(disjoint(region(low), region(column)));
  EXPECT_FALSE(disjoint(region(low), region(x_))) << "of another base: nothing is said";
}

TEST_F(AsyncPairsTest, PiecesOfASplitHaveRegions) {
  Node *even = p_.call("even", "aten.split.Tensor", {buffer_, 4});
  Node *uneven = p_.call("uneven", "aten.split_with_sizes.default", {buffer_, list({2, 6})});
  Node *second = p_.call("second", "operator.getitem", {even, 1}, "f32[4, 4][4, 1]cpu");
  Node *last = p_.call("last", "operator.getitem", {uneven, 1}, "f32[6, 4][4, 1]cpu");
  EXPECT_EQ(region(second)->begin, 64);
  EXPECT_EQ(region(last)->begin, 32);
  EXPECT_EQ(region(last)->end, 128);
}

TEST_F(AsyncPairsTest, NoRegionWhereThePlaceIsNotKnown) {
  Node *untyped = p_.call("untyped", "aten.slice.Tensor", {buffer_, 0, 0, 4});
  Node *high = slice("high", buffer_, 4, 8);
  EXPECT_FALSE(region(untyped));
  EXPECT_TRUE(region(high));
  Node *opaque = p_.call("opaque", "mylib.view.default", {buffer_}, "f32[4][1]cpu");
  EXPECT_FALSE(region(slice("part", opaque, 0, 2)));
}

TEST_F(AsyncPairsTest, AsStridedCountsFromTheStorage) {
  auto strided = [&](const char *name, Node *base, int64_t offset) {
    return p_.call(name, "aten.as_strided.default", {base, list({4}), list({1}), offset}, "f32[4][1]cpu");
  };
  Node *high = slice("high", buffer_, 4, 8);
  Node *low = strided("low", high, 4);
  EXPECT_EQ(region(low)->begin, 16) << "whatever it is called on";
  EXPECT_TRUE(disjoint(region(low), region(high))) << "the buffer begins where its storage does";
  EXPECT_FALSE(disjoint(region(strided("within", buffer_, 16)), region(high)));
  Node *given = strided("given", x_, 0);
  EXPECT_FALSE(disjoint(region(given), region(slice("rest", x_, 1, 2)))) << "an input may lie anywhere in its storage";
  EXPECT_TRUE(disjoint(region(given), region(strided("next", x_, 4))));
}

TEST_F(AsyncPairsTest, OnlyWhatWasReshapedBeforeIsUnknown) {
  Node *high = slice("high", buffer_, 4, 8);
  Node *early = p_.call("early", "aten.relu.default", {high}, "f32[4, 4][4, 1]cpu");
  Node *turned = p_.call("turned", "aten.t_.default", {buffer_}, "f32[4, 8][1, 4]cpu");
  Node *rows = slice("rows", buffer_, 0, 2);
  EXPECT_TRUE(region(high)) << "t_ leaves each element where it is";
  EXPECT_EQ(region(turned)->end, 128);
  EXPECT_FALSE(region(rows)) << "but the strides of the buffer are others now";
  p_.call("moved", "aten.as_strided_.default", {buffer_, list({4}), list({1}), 8}, "f32[4][1]cpu");
  EXPECT_FALSE(region(high)) << "one name of the storage has other elements";
  EXPECT_TRUE(regionOf(*high, *early));
}

} // namespace
} // namespace ccgraph
