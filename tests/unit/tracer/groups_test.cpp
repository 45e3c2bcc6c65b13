// The forms of a group: what each comes to, and what each refuses.
#include "traced.h"

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
  EXPECT_EQ(expanded(std::vector<int64_t>{0, 1, 2, 3}).name, "0");
  EXPECT_EQ(expanded(std::vector<int64_t>{2, 1}), (ExpandedGroup{"1", {2, 1}, 2}));
  EXPECT_EQ(expanded(std::vector<int64_t>{2, 1}).name, "1");
  EXPECT_EQ(expanded(Cells{{0, 1}, {2, 3}}), (ExpandedGroup{"2", {0, 1, 2, 3}, 2}));
  ASSERT_EQ(t.trace().warnings().size(), 1U);
  note("warning", toString(t.trace().warnings()));
  EXPECT_EQ(toString(t.trace().warnings()),
            "warning: group: The combination of ranks + tag as process group identifier has been deprecated. Please "
            "switch to using ProcessGroup, DeviceMesh, or group name instead. [trace.ranks-deprecated]\n");
}

TEST(GroupForms, ATagIsPartOfWhichGroupIsMeant) {
  Traced t;
  std::vector<int64_t> ranks = {0, 1};
  EXPECT_EQ(llvm::cantFail(expandGroup(ranks, "user")).name, "1");
  EXPECT_EQ(llvm::cantFail(expandGroup(ranks, "other")).name, "2");
  EXPECT_EQ(llvm::cantFail(expandGroup(ranks, "user")).name, "1");
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
}

TEST(GroupErrors, ANameThatNobodyKnows) {
  Traced t;
  EXPECT_EQ(refusal("tp"),
            "error: group tp: Could not resolve the process group registered under the name tp [trace.group]\n"
            "  note: Trace::addGroup says which ranks it has, TraceOptions::worldSize which \"0\" has\n");
}

TEST(GroupErrors, RanksThatCannotBe) {
  Traced t;
  EXPECT_EQ(refusal(std::vector<int64_t>{0, 4}),
            "error: group 1: rank 4 is not one of the world's 4 ranks [trace.group]\n"
            "  note: ranks are global and count from 0\n");
  EXPECT_EQ(refusal(std::vector<int64_t>{1, 1}), "error: group 1: rank 1 stands twice in [1, 1] [trace.group]\n");
  EXPECT_EQ(refusal(std::vector<int64_t>{}), "error: group: a group of no ranks [trace.group]\n");
  EXPECT_EQ(refusal(Group()), "error: group: it has no name [trace.group]\n"
                              "  note: a group object needs one, by which graphs know it\n");
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
