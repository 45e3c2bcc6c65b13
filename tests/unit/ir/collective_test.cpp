// Tests collective calls and their fingerprints: the members on which ranks must agree, and the first member in which
// they differ.
#include "ccgraph/ir/collective.h"

#include "program.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

using test::list;

class CollectiveTest : public testing::Test {
protected:
  CollectiveTest() {
    table_.set({.name = "tp", .ranks = {0, 1}});
    table_.set({.name = "same", .ranks = {0, 1}});
    table_.set({.name = "rows", .partition = {{0, 1}, {2, 3}}});
  }
  Node *call(const char *op, const std::vector<test::Item> &args, const char *type = "") {
    return program_.call("c", (std::string("_c10d_functional.") + op + ".default").c_str(), args, type);
  }
  [[nodiscard]] CollectiveFingerprint print(const Node *node, int64_t rank = 0) const {
    std::vector<CollectiveFingerprint> prints = fingerprintsOf(*node, table_, rank);
    EXPECT_EQ(prints.size(), 1U);
    return prints.empty() ? CollectiveFingerprint() : prints.front();
  }
  /// Returns the first difference of two calls; "" if they agree.
  [[nodiscard]] std::string first(const Node *a, const Node *b) const {
    auto found = differences(print(a), print(b));
    return found.empty() ? "" : found.front().str();
  }

  test::Program program_;
  GroupTable table_;
  Node *x_ = program_.input("x", "bf16[64, 64][64, 1]cuda:0");
  Node *y_ = program_.input("y", "f32[8][1]cpu");
  Node *unknown_ = program_.input("u");
};

TEST_F(CollectiveTest, IsPrintedByMembersAndCounts) {
  EXPECT_EQ(print(call("all_reduce", {x_, "SUM", "tp"})).str(), "all_reduce sum bf16[4096] on ranks [0, 1]");
  EXPECT_EQ(print(call("broadcast", {y_, 1, "rows"}), 3).str(), "broadcast from 1 f32[8] on ranks [2, 3]");
  EXPECT_EQ(print(call("all_reduce_coalesced", {list({x_, y_}), "max", "tp"})).str(),
            "all_reduce max bf16[4096] f32[8] on ranks [0, 1]");
  EXPECT_EQ(print(call("isend", {y_, 1, 7, "rows"}), 2).str(), "send f32[8] to rank 3 tag 7 on ranks [2, 3]");
  EXPECT_EQ(print(call("irecv", {y_, 0, 0, "rows"}), 2).str(), "recv f32[8] from rank 2 on ranks [2, 3]");
}

TEST_F(CollectiveTest, NamesTheFirstFieldThatDiffers) {
  Node *sum = call("all_reduce", {x_, "sum", "tp"});
  EXPECT_EQ(first(sum, call("broadcast", {x_, 0, "tp"})), "kind all_reduce against broadcast");
  EXPECT_EQ(first(sum, call("all_reduce", {y_, "max", "tp"})), "reduction sum against max");
  EXPECT_EQ(first(sum, call("all_reduce", {y_, "sum", "tp"})), "dtype bf16 against f32");
  EXPECT_EQ(first(call("broadcast", {x_, 0, "tp"}), call("broadcast", {x_, 1, "tp"})), "source 0 against 1");
  EXPECT_EQ(first(call("all_reduce_coalesced", {list({y_}), "sum", "tp"}),
                  call("all_reduce_coalesced", {list({y_, y_}), "sum", "tp"})),
            "number of tensors 1 against 2");
  Node *short_ = program_.input("s", "f32[4][1]cpu");
  EXPECT_EQ(first(call("all_reduce_coalesced", {list({y_, y_}), "sum", "tp"}),
                  call("all_reduce_coalesced", {list({y_, short_}), "sum", "tp"})),
            "elements of tensor 1 8 against 4");
}

TEST_F(CollectiveTest, IsComparedByMembersNeverByNames) {
  Node *sum = call("all_reduce", {y_, "sum", "tp"});
  EXPECT_EQ(first(sum, call("all_reduce", {y_, "sum", "same"})), "");
  EXPECT_EQ(first(sum, call("all_reduce", {y_, "sum", "rows"})), "");
  EXPECT_EQ(differences(print(sum), print(call("all_reduce", {y_, "sum", "rows"}), 2)).front().str(),
            "members [0, 1] against [2, 3]");
}

TEST_F(CollectiveTest, ShapesAndFormsAreOneRanksOwn) {
  Node *row = program_.input("row", "f32[2, 4][4, 1]cpu");
  Node *buffer = program_.input("buffer", "f32[16][1]cpu");
  Node *gather = call("all_gather_into_tensor", {y_, 2, "tp"}, "f32[16][1]cpu");
  EXPECT_EQ(first(gather, call("all_gather_into_tensor", {row, 2, "tp"})), "");
  EXPECT_EQ(first(gather, program_.call("o", "_c10d_functional.all_gather_into_tensor_out.default", {y_, 2, "tp"},
                                        {{"out", buffer}}, "")),
            "");
  EXPECT_EQ(first(call("all_reduce", {y_, "sum", "tp"}), call("all_reduce_", {y_, "sum", "tp"})), "");
}

TEST_F(CollectiveTest, WhatIsUnknownDiffersFromNothingAndProvesNothing) {
  Node *known = call("all_reduce", {y_, "sum", "tp"});
  EXPECT_TRUE(print(known).complete);
  for (Node *vague : {call("all_reduce", {unknown_, "sum", "tp"}), call("all_reduce", {y_, unknown_, "tp"}),
                      call("all_reduce", {y_, "sum", "nobody"})}) {
    EXPECT_EQ(first(known, vague), "");
    EXPECT_FALSE(print(vague).complete) << print(vague).str();
  }
  EXPECT_EQ(print(call("all_reduce", {unknown_, unknown_, "nobody"})).str(), "all_reduce ? ?[?] on unknown ranks");
}

TEST_F(CollectiveTest, SharesOfAnAllToAllMayDiffer) {
  Node *even = call("all_to_all_single", {y_, list({4, 4}), list({4, 4}), "tp"});
  Node *more = program_.input("more", "f32[12][1]cpu");
  EXPECT_EQ(first(even, call("all_to_all_single", {more, list({4, 8}), list({8, 4}), "tp"})), "");
  EXPECT_EQ(collectiveCall(*even)->inputSplits, (std::vector<int64_t>{4, 4}));
  EXPECT_TRUE(print(even).complete);
}

TEST_F(CollectiveTest, ABatchIsItsTransfers) {
  Node *batch = call("batch_p2p_ops", {list({"isend", "irecv"}), list({1, 1}), list({3, 4}), list({y_, x_}), "tp"});
  std::vector<CollectiveFingerprint> prints = fingerprintsOf(*batch, table_, 0);
  ASSERT_EQ(prints.size(), 2U);
  EXPECT_EQ(prints[0].str(), "send f32[8] to rank 1 tag 3 on ranks [0, 1]");
  EXPECT_EQ(prints[1].str(), "recv bf16[4096] from rank 1 tag 4 on ranks [0, 1]");
  EXPECT_EQ(differences(prints[0], prints[1]).front().str(), "tag 3 against 4") << "two ends of one transfer";
  EXPECT_TRUE(fingerprintsOf(*x_, table_, 0).empty());
}

} // namespace
} // namespace ccgraph
