// Tests the forms of a group: the meaning of each form, and its refusals.
#include "traced.h"

#include "ccgraph/tracer/collectives.h"
#include "support/noted.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::test {
namespace {

using tracer::Cells;
using tracer::DeviceMesh;
using tracer::ExpandedGroup;
using tracer::expandGroup;
using tracer::GroupLike;

ExpandedGroup expanded(const GroupLike &group) {
  ExpandedGroup expanded = llvm::cantFail(expandGroup(group));
  std::string ranks =
      llvm::join(llvm::map_range(expanded.ranks, [](int64_t rank) { return std::to_string(rank); }), ", ");
  note("group", expanded.name + ", ranks [" + ranks + "], size " + std::to_string(expanded.size));
  return expanded;
}
std::string refusal(const GroupLike &group) { return errorOf(expandGroup(group).takeError()); }

TEST(GroupForms, ANameIsLookedUp) {
  Traced t;
  EXPECT_EQ(expanded("0"), (ExpandedGroup{"0", {0, 1, 2, 3}, 4}));
  Group tp;
  tp.name = "tp";
  tp.ranks = {1, 3};
  t.trace().addGroup(tp);
  EXPECT_EQ(expanded(std::string("tp")), (ExpandedGroup{"tp", {1, 3}, 2}));
}

TEST(GroupForms, AGroupObjectSaysAllItself) {
  Traced t;
  Group tp;
  tp.name = "tp";
  tp.partition = {{0, 1}, {2, 3}};
  EXPECT_EQ(expanded(tp), (ExpandedGroup{"tp", {0, 1, 2, 3}, 2}));
  EXPECT_EQ(expanded("tp").size, 2);
}

TEST(GroupForms, AMeshOfOneDimension) {
  Traced t;
  EXPECT_EQ(expanded(DeviceMesh("cuda", {4}, {"dp"})), (ExpandedGroup{"dp", {0, 1, 2, 3}, 4}));
}

TEST(GroupForms, OneDimensionOfAMesh) {
  Traced t({.worldSize = 8});
  DeviceMesh mesh("cuda", {2, 4}, {"dp", "tp"});
  EXPECT_EQ(expanded(std::pair(mesh, 1)), (ExpandedGroup{"tp", {0, 1, 2, 3, 4, 5, 6, 7}, 4}));
  EXPECT_EQ(expanded(std::tuple(mesh, 0)), (ExpandedGroup{"dp", {0, 4, 1, 5, 2, 6, 3, 7}, 2}));
  EXPECT_EQ(t.trace().graph().groups().find("dp")->partition, (Cells{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  DeviceMesh cube("cuda", {2, 2, 2}, {}, {7, 6, 5, 4, 3, 2, 1, 0});
  EXPECT_EQ(llvm::cantFail(cube.get_group(-2)).partition, (Cells{{7, 5}, {6, 4}, {3, 1}, {2, 0}}));
  EXPECT_EQ(llvm::cantFail(cube.get_group(1)).name, "mesh_1");
}

TEST(GroupForms, ListsOfRanksWarnOnce) {
  Traced t;
  t.trace().addGroup({.name = "1", .ranks = {1, 2}});
  t.trace().addGroup({.name = "2", .partition = {{0, 1}, {2, 3}}});
  EXPECT_EQ(expanded(std::vector<int64_t>{0, 1, 2, 3}).name, "0");
  EXPECT_EQ(expanded(std::vector<int64_t>{2, 1}), (ExpandedGroup{"1", {1, 2}, 2}));
  EXPECT_EQ(expanded(Cells{{1, 2}}).name, "1");
  EXPECT_EQ(expanded(Cells{{0, 1}, {3, 2}}), (ExpandedGroup{"2", {0, 1, 2, 3}, 2}));
  ASSERT_EQ(t.trace().warnings().size(), 1U);
  note("warning", toString(t.trace().warnings()));
  EXPECT_EQ(toString(t.trace().warnings()),
            "warning: group: The combination of ranks + tag as process group identifier has been deprecated. Please "
            "switch to using ProcessGroup, DeviceMesh, or group name instead. [trace.ranks-deprecated]\n");
}

TEST(GroupForms, RanksAndTagSayWhichGroupIsMeant) {
  Traced t;
  std::vector<int64_t> ranks = {0, 1};
  t.trace().addGroup({.name = "a", .ranks = ranks, .tag = "user"});
  t.trace().addGroup({.name = "b", .ranks = ranks, .tag = "other"});
  t.trace().addGroup({.name = "c", .ranks = {0, 2}});
  EXPECT_EQ(llvm::cantFail(expandGroup(ranks, "user")).name, "a");
  EXPECT_EQ(llvm::cantFail(expandGroup(ranks, "other")).name, "b");
  EXPECT_EQ(llvm::cantFail(expandGroup(std::vector<int64_t>{2, 0})).name, "c");
}

TEST(GroupErrors, RanksWithoutATagAreNoGroupThatHasOne) {
  Traced t;
  t.trace().addGroup({.name = "a", .ranks = {0, 1}, .tag = "user"});
  t.trace().addGroup({.name = "c", .ranks = {0, 2}});
  EXPECT_EQ(refusal(std::vector<int64_t>{0, 1}),
            "error: group: no process group has the ranks [0, 1] and the tag '' [trace.group]\n"
            "  note: Trace::addGroup makes a group known by its ranks and its tag\n");
  EXPECT_EQ(errorOf(expandGroup(std::vector<int64_t>{0, 1}, "other").takeError()),
            "error: group: no process group has the ranks [0, 1] and the tag 'other' [trace.group]\n"
            "  note: Trace::addGroup makes a group known by its ranks and its tag\n");
  EXPECT_EQ(errorOf(expandGroup(std::vector<int64_t>{0, 2}, "user").takeError()),
            "error: group: no process group has the ranks [0, 2] and the tag 'user' [trace.group]\n"
            "  note: Trace::addGroup makes a group known by its ranks and its tag\n");
}

TEST(GroupErrors, ANameWithTwoTags) {
  Traced t;
  t.trace().addGroup({.name = "a", .ranks = {0, 1}, .tag = "user"});
  EXPECT_EQ(refusal(Group{.name = "a", .ranks = {0, 1}, .tag = "other"}),
            "error: group a: its tag is 'user' already, and now 'other' [trace.group]\n"
            "  note: give one of them another name\n");
}

/// Returns the error of a collective on a group, in the trace of rank 3 of 4.
std::string refusalOnRank3(const GroupLike &group) {
  Traced t({.worldSize = 4, .rank = 3});
  t.trace().addGroup({.name = "front", .ranks = {0, 1}});
  t.trace().addGroup({.name = "halves", .partition = {{0, 1}, {2, 3}}});
  Tensor y = collectives::all_reduce(t.input("x", {4}), "sum", group);
  return y.error() ? toString(*y.error()) : "";
}

TEST(GroupErrors, ACollectiveOfAGroupThatLacksTheRank) {
  std::string text = "rankset doesn't include the current node: the trace is of rank 3, and the group is ";
  EXPECT_NE(refusalOnRank3("front").find("group front: " + text + "[0, 1] [trace.group]"), std::string::npos);
  EXPECT_NE(refusalOnRank3(DeviceMesh("cpu", {2}, {"dp"})).find("group dp: " + text + "[0, 1]"), std::string::npos);
  EXPECT_NE(refusalOnRank3(std::vector<int64_t>{0, 1}).find("group front: " + text), std::string::npos);
  EXPECT_EQ(refusalOnRank3("halves"), "");
  EXPECT_EQ(refusalOnRank3(std::pair(DeviceMesh("cpu", {2, 2}), 0)), "");
}

TEST(GroupErrors, CellsOfUnequalSize) {
  Traced t;
  EXPECT_EQ(refusal(Cells{{0, 1}, {2}}), "error: group: group sizes must be identical found 2 and 1 [trace.group]\n");
}

TEST(GroupErrors, AMeshOfSeveralDimensionsWithoutOne) {
  Traced t;
  EXPECT_EQ(refusal(DeviceMesh("cuda", {2, 2})), "error: mesh: Only 1D mesh is supported, pass in (DeviceMesh, int) "
                                                 "together if mesh > 1D [trace.mesh]\n");
}

TEST(GroupErrors, ADimensionThatAMeshLacks) {
  Traced t;
  EXPECT_EQ(refusal(std::pair(DeviceMesh("cuda", {2, 2}), 2)),
            "error: mesh: dimension 2 of a mesh of 2 dimensions [trace.mesh]\n");
}

TEST(GroupErrors, AMeshThatIsNone) {
  Traced t;
  EXPECT_EQ(refusal(DeviceMesh("cuda", {0})),
            "error: mesh: a mesh needs dimensions of one rank or more [trace.mesh]\n");
  EXPECT_EQ(refusal(DeviceMesh("cuda", {4}, {"a", "b"})),
            "error: mesh: 2 names for a mesh of 1 dimensions [trace.mesh]\n");
  EXPECT_EQ(refusal(DeviceMesh("cuda", {4}, {}, {0, 1})), "error: mesh: 2 ranks for a mesh of 4 [trace.mesh]\n");
  EXPECT_EQ(refusal(DeviceMesh("cu\"da", {4})), "error: mesh: the device type 'cu\"da' of a mesh, expected letters, "
                                                "digits and '_', such as cuda [trace.mesh]\n");
}

TEST(GroupErrors, ANameThatNobodyKnows) {
  Traced t;
  EXPECT_EQ(refusal("tp"),
            "error: group tp: Could not resolve the process group registered under the name tp [trace.group]\n"
            "  note: Trace::addGroup states its ranks, TraceOptions::worldSize those of \"0\"\n");
}

TEST(GroupErrors, RanksThatCannotBe) {
  Traced t;
  EXPECT_EQ(refusal(std::vector<int64_t>{0, 4}),
            "error: group: rank 4 is not one of the world's 4 ranks [trace.group]\n"
            "  note: ranks are global and count from 0\n");
  EXPECT_EQ(refusal(std::vector<int64_t>{1, 1}), "error: group: rank 1 occurs twice in [1, 1] [trace.group]\n");
  EXPECT_EQ(refusal(std::vector<int64_t>{}), "error: group: a group of no ranks [trace.group]\n");
  EXPECT_EQ(refusal(Group()), "error: group: it has no name [trace.group]\n"
                              "  note: a group object needs a name, which graphs contain\n");
}

TEST(GroupErrors, ANameWithTwoMeanings) {
  Traced t;
  (void)expanded(DeviceMesh("cuda", {2}, {"tp"}));
  EXPECT_EQ(refusal(DeviceMesh("cuda", {4}, {"tp"})),
            "error: group tp: it is [0, 1] already, and now [0, 1, 2, 3] [trace.group]\n"
            "  note: give one of them another name\n");
}

} // namespace
} // namespace ccgraph::test
