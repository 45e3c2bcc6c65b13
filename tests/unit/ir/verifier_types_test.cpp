// Tests the rules types.*: each is broken once, and the whole diagnostic is compared.
#include "ccgraph/ir/verifier.h"
#include "unit/ir/program.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

using test::Item;
using test::list;
using test::Program;

constexpr const char *allReduce = "_c10d_functional.all_reduce.default";
constexpr const char *allGather = "_c10d_functional.all_gather_into_tensor.default";
constexpr const char *reduceScatter = "_c10d_functional.reduce_scatter_tensor.default";
constexpr const char *allToAll = "_c10d_functional.all_to_all_single.default";
constexpr const char *broadcast = "_c10d_functional.broadcast.default";
constexpr const char *waitTensor = "_c10d_functional.wait_tensor.default";

/// A fixture that returns the findings for: x = input; launch; wait; return, on a group "0" of two ranks.
class VerifierTypes : public testing::Test {
protected:
  std::string found(const char *inputType, const char *target, std::vector<Item> rest, const char *type) {
    Node *x = p_.input("x", inputType);
    std::vector<Item> args = {x};
    args.insert(args.end(), rest.begin(), rest.end());
    Node *launch = p_.call("launch", target, args, type);
    return foundAfter(launch);
  }
  std::string foundAfter(Node *launch) {
    p_.output({p_.call("wait", waitTensor, {launch})});
    p_.graph.groups().set({.name = "0", .ranks = {0, 1}});
    return toString(verify(p_.graph));
  }
  Program p_;
};

TEST_F(VerifierTypes, AllIsWell) {
  EXPECT_EQ(found("f32[4, 2][2, 1]cpu", allGather, {2, "0"}, "f32[8, 2][2, 1]cpu"), "");
}

TEST_F(VerifierTypes, WhatIsReshapedInPlaceMayHaveAnotherTypeThanItsNodeStates) {
  Node *x = p_.input("x", "f32[4, 2][2, 1]cpu");
  p_.call("turned", "aten.t_.default", {x}, "f32[2, 4][1, 2]cpu");
  EXPECT_EQ(foundAfter(p_.call("launch", allReduce, {x, "sum", "0"}, "f32[2, 4][1, 2]cpu")), "");
}

/// Both types are accepted: that of PyTorch 2.15's fake kernels (empty_like), and that of its real kernels (a
/// contiguous clone).
TEST_F(VerifierTypes, ABroadcastMayKeepTheStridesOfADenseInput) {
  EXPECT_EQ(found("f32[4, 2][1, 4]cpu", broadcast, {0, "0"}, "f32[4, 2][1, 4]cpu"), "");
}

TEST_F(VerifierTypes, ABroadcastMayBeRowMajor) {
  EXPECT_EQ(found("f32[4, 2][1, 4]cpu", broadcast, {0, "0"}, "f32[4, 2][2, 1]cpu"), "");
}

TEST_F(VerifierTypes, ABroadcastHasNoStridesOfItsOwn) {
  EXPECT_NE(found("f32[4, 2][1, 4]cpu", broadcast, {0, "0"}, "f32[4, 2][4, 1]cpu"), "");
}

TEST_F(VerifierTypes, ABroadcastOfATensorWithGapsMayBeLaidOutAsEmptyLikeIs) {
  EXPECT_EQ(found("f32[4, 2][1, 8]cpu", broadcast, {0, "0"}, "f32[4, 2][1, 4]cpu"), "");
}

TEST_F(VerifierTypes, ABroadcastOfATensorWithGapsMayBeRowMajor) {
  EXPECT_EQ(found("f32[4, 2][1, 8]cpu", broadcast, {0, "0"}, "f32[4, 2][2, 1]cpu"), "");
}

TEST_F(VerifierTypes, ABroadcastOfATensorWithGapsIsNotTurned) {
  EXPECT_NE(found("f32[4, 2][8, 1]cpu", broadcast, {0, "0"}, "f32[4, 2][1, 4]cpu"), "");
}

TEST_F(VerifierTypes, ABroadcastOfATensorWithGapsHasNone) {
  EXPECT_NE(found("f32[4, 2][1, 8]cpu", broadcast, {0, "0"}, "f32[4, 2][1, 8]cpu"), "");
}

TEST_F(VerifierTypes, ABroadcastDoesNotKeepOverlappingStrides) {
  EXPECT_NE(found("f32[4, 2][0, 1]cpu", broadcast, {0, "0"}, "f32[4, 2][0, 1]cpu"), "");
}

TEST_F(VerifierTypes, AnAllReduceIsRowMajor) {
  EXPECT_NE(found("f32[4, 2][1, 4]cpu", allReduce, {"sum", "0"}, "f32[4, 2][1, 4]cpu"), "");
}

TEST_F(VerifierTypes, AListOfAllReducesMayKeepTheStridesOfDenseInputs) {
  Node *x = p_.input("x", "f32[4, 2][1, 4]cpu");
  Node *y = p_.input("y", "f32[3][1]cpu");
  Node *launch = p_.call("launch", "_c10d_functional.all_reduce_coalesced.default", {list({x, y}), "sum", "0"});
  p_.graph.setType(launch, p_.listType({"f32[4, 2][1, 4]cpu", "f32[3][1]cpu"}));
  p_.output({p_.call("wait", "_c10d_functional.wait_tensors.default", {launch})});
  EXPECT_EQ(toString(verify(p_.graph)), "");
}

TEST_F(VerifierTypes, TheResultOfAGatherHasTheRowsOfAll) {
  EXPECT_EQ(found("f32[4, 2][2, 1]cpu", allGather, {2, "0"}, "f32[4, 2][2, 1]cpu"),
            "error: launch: is stated to be f32[4, 2][2, 1]cpu; expected f32[8, 2][2, 1]cpu [types.result]\n"
            "  note: correct the type, or leave it out to have it inferred\n");
}

TEST_F(VerifierTypes, TheResultOfAGatherHasTheStridesThatFollow) {
  EXPECT_EQ(found("f32[4, 2][2, 1]cpu", allGather, {2, "0"}, "f32[8, 2][2, 0]cpu"),
            "error: launch: is stated to be f32[8, 2][2, 0]cpu; expected f32[8, 2][2, 1]cpu [types.result]\n"
            "  note: correct the type, or leave it out to have it inferred\n");
}

TEST_F(VerifierTypes, StridesThatSayNothingAreNotCompared) {
  EXPECT_EQ(found("f32[4, 1][1, 1]cpu", allGather, {2, "0"}, "f32[8, 1][1, 5]cpu"), "");
}

TEST_F(VerifierTypes, StridesThatAreNotPrintedAreNotCompared) {
  EXPECT_EQ(found("f32[4, 2][2, 1]cpu", allGather, {2, "0"}, "f32[8, 2]"), "");
}

TEST_F(VerifierTypes, AWaitHasTheTypeOfWhatItWaitsOn) {
  Node *x = p_.input("x", "f32[4][1]cpu");
  Node *launch = p_.call("launch", allReduce, {x, "sum", "0"}, "f32[4][1]cpu");
  p_.output({p_.call("wait", waitTensor, {launch}, "bf16[4][1]cpu")});
  EXPECT_EQ(toString(verify(p_.graph)),
            "error: wait: is stated to be bf16[4][1]cpu; expected f32[4][1]cpu [types.result]\n"
            "  note: correct the type, or leave it out to have it inferred\n");
}

TEST_F(VerifierTypes, ScalarsCannotBeScattered) {
  EXPECT_EQ(found("f32[][]cpu", reduceScatter, {"sum", 2, "0"}, ""),
            "error: launch: the input of a reduce_scatter is 0-d; expected rows to share out [types.operands]\n"
            "  note: view it as [1] times the group's size\n");
}

TEST_F(VerifierTypes, UnevenRowsAreDroppedAsPyTorchDoes) {
  EXPECT_EQ(found("f32[5, 2][2, 1]cpu", reduceScatter, {"sum", 2, "0"}, "f32[2, 2][2, 1]cpu"), "");
}

TEST_F(VerifierTypes, NumbersAreNotCommunicated) {
  Node *n = p_.input("n", "Sym(u0)");
  EXPECT_EQ(foundAfter(p_.call("launch", allReduce, {n, "sum", "0"})),
            "error: launch: takes 'n', which is Sym(u0); expected a tensor [types.operands]\n"
            "  note: only tensors are communicated: put the value into one\n");
}

TEST_F(VerifierTypes, AnArgumentIsOfTheKindThatTheSchemaTakes) {
  EXPECT_EQ(found("f32[4][1]cpu", allReduce, {"sum", 7}, ""),
            "error: launch: gives 7 as 'group_name'; expected a name, a node or a list of ranks [types.argument]\n"
            "  note: the schema says `Any group_name`, at position 2\n");
}

TEST_F(VerifierTypes, NoSizeIsNegative) {
  EXPECT_EQ(found("f32[-4][1]cpu", allReduce, {"sum", "0"}, ""),
            "error: x: has the type f32[-4][1]cpu; expected no negative size [types.sizes]\n"
            "  note: correct the sizes, or leave the type out\n");
}

TEST_F(VerifierTypes, BytesCanBeCounted) {
  EXPECT_EQ(found("f32[4294967296, 4294967296][4294967296, 1]cpu", allReduce, {"sum", "0"}, ""),
            "error: x: has the type f32[4294967296, 4294967296][4294967296, 1]cpu; expected at most "
            "9223372036854775807 bytes [types.sizes]\n"
            "  note: correct the sizes, or leave the type out\n");
}

TEST_F(VerifierTypes, AGroupIsNamed) {
  EXPECT_EQ(found("f32[4][1]cpu", allReduce, {"sum", list({})}, ""),
            "error: launch: names no group; expected a name, a node or a list of ranks at position 2 [types.group]\n"
            "  note: list the ranks of the group\n");
}

TEST_F(VerifierTypes, AnUnknownGroupIsAWarning) {
  EXPECT_EQ(found("f32[4][1]cpu", allReduce, {"sum", "tp"}, ""),
            "warning: launch: is on group 'tp', which the group table does not hold [types.group-known]\n"
            "  note: add the group to the table (--groups FILE)\n");
}

TEST_F(VerifierTypes, TheGroupSizeIsThatOfTheGroup) {
  EXPECT_EQ(
      found("f32[4][1]cpu", allGather, {4, "0"}, "f32[16][1]cpu"),
      "error: launch: states a group of 4; expected 2, the members of the group that it names [types.group-size]\n"
      "  note: correct the number, or the members of the group\n");
}

TEST_F(VerifierTypes, AReductionIsOneOfNine) {
  EXPECT_EQ(found("f32[4][1]cpu", allReduce, {"mean", "0"}, ""),
            "error: launch: reduces by 'mean'; expected sum, avg, product, min, max, band, bor, bxor or unused "
            "[types.reduce-op]\n"
            "  note: name one of these\n");
}

TEST_F(VerifierTypes, FloatsHaveNoBitwiseReduction) {
  EXPECT_EQ(found("f32[4][1]cpu", allReduce, {"bor", "0"}, ""),
            "error: launch: reduces 'x' of f32 by 'bor', which is not defined on it [types.reduce-dtype]\n"
            "  note: view the bits as integers\n");
}

TEST_F(VerifierTypes, ComplexNumbersHaveNoOrder) {
  EXPECT_EQ(found("c64[4][1]cpu", allReduce, {"max", "0"}, ""),
            "error: launch: reduces 'x' of c64 by 'max', which is not defined on it [types.reduce-dtype]\n"
            "  note: view it as real numbers\n");
}

TEST_F(VerifierTypes, WhatIsGatheredIsContiguous) {
  EXPECT_EQ(found("f32[4, 2][1, 4]cpu", allGather, {2, "0"}, ""),
            "warning: launch: sends 'x', which is f32[4, 2][1, 4]cpu; expected contiguous strides [types.contiguous]\n"
            "  note: clone it with memory_format = torch.contiguous_format before\n");
}

TEST_F(VerifierTypes, AnAllReduceCopiesSoItsStridesAreFree) {
  EXPECT_EQ(found("f32[4, 2][1, 4]cpu", allReduce, {"sum", "0"}, "f32[4, 2][2, 1]cpu"), "");
}

TEST_F(VerifierTypes, SplitsAreOneAMember) {
  EXPECT_EQ(found("f32[6][1]cpu", allToAll, {list({2, 2}), list({2, 2, 2}), "0"}, "f32[4][1]cpu"),
            "error: launch: sends 3 parts; expected 2, one for each member [types.splits]\n"
            "  note: give a split for each rank of the group\n");
}

TEST_F(VerifierTypes, SplitsAreNotNegative) {
  EXPECT_EQ(found("f32[6][1]cpu", allToAll, {list({5, -1}), list({3, 3}), "0"}, "f32[4][1]cpu"),
            "error: launch: receives a negative number of rows; expected 0 or more [types.splits]\n"
            "  note: correct the splits\n");
}

TEST_F(VerifierTypes, SplitsAddUpToTheRows) {
  EXPECT_EQ(found("f32[6][1]cpu", allToAll, {list({2, 2}), list({2, 3}), "0"}, "f32[4][1]cpu"),
            "error: launch: sends 5 rows of 'x'; expected all 6 [types.splits]\n"
            "  note: make the input splits add up to its first size\n");
}

TEST_F(VerifierTypes, ARootIsInTheGroup) {
  EXPECT_EQ(found("f32[6][1]cpu", broadcast, {2, "0"}, ""),
            "error: launch: has rank 2 as its root; expected 0 to 1 [types.rank]\n"
            "  note: roots and peers are counted within the group, not globally\n");
}

TEST_F(VerifierTypes, AnElementIsThere) {
  Node *x = p_.input("x", "f32[4, 2][2, 1]cpu");
  Node *split = p_.call("split", "aten.split.Tensor", {x, 2});
  p_.graph.setType(split, p_.listType({"f32[2, 2][2, 1]cpu", "f32[2, 2][2, 1]cpu"}));
  p_.output({p_.call("third", "operator.getitem", {split, 2})});
  EXPECT_EQ(toString(verify(p_.graph)),
            "error: third: takes element 2 of split, which has 2 results; expected the index of an element "
            "[types.getitem]\n"
            "  note: take an element from 0 to 1\n");
}

TEST_F(VerifierTypes, AnElementHasItsType) {
  Node *x = p_.input("x", "f32[4, 2][2, 1]cpu");
  Node *split = p_.call("split", "aten.split.Tensor", {x, 2});
  p_.graph.setType(split, p_.listType({"f32[2, 2][2, 1]cpu", "f32[2, 2][2, 1]cpu"}));
  p_.output({p_.call("second", "operator.getitem", {split, 1}, "f32[3, 2][2, 1]cpu")});
  EXPECT_EQ(toString(verify(p_.graph)),
            "error: second: is stated to be f32[3, 2][2, 1]cpu; expected f32[2, 2][2, 1]cpu [types.getitem]\n"
            "  note: correct the type, or leave it out to have it inferred\n");
}

} // namespace
} // namespace ccgraph
