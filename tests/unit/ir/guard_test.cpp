// Tests guards, the facts with which a program was traced: they are checked for the written program and for each rank
// of a run.
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/guard_check.h"
#include "ccgraph/ir/plan.h"
#include "support/noted.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

const std::string asWritten =
    "  note: trace the program again where it runs, or give it the groups that it was traced with\n";
const std::string inARun =
    "  note: run it with the ranks that it was traced for, each rank its own graph or plan, or trace it again\n";

struct Guards : testing::Test {
  Context context;
  Graph graph{context};

  void group(llvm::StringRef name, std::vector<int64_t> ranks) {
    Group group;
    group.name = name.str();
    group.ranks = std::move(ranks);
    graph.groups().set(group);
  }
  void cells(llvm::StringRef name, std::vector<std::vector<int64_t>> partition) {
    Group group;
    group.name = name.str();
    group.partition = std::move(partition);
    graph.groups().set(group);
  }
  [[nodiscard]] std::string check() const { return test::notedError(checkGuards(graph)); }
  [[nodiscard]] std::string check(int64_t rank, int64_t ranks) const {
    return test::notedError(checkGuards(graph, RunPlace{rank, ranks}));
  }
};

TEST_F(Guards, EachFactIsKnownByItsName) {
  for (GuardFact fact : guardFacts)
    EXPECT_EQ(parseGuardFact(guardFactName(fact)), fact);
  EXPECT_FALSE(parseGuardFact("colour"));
}

TEST_F(Guards, EachFactHasValuesOfItsOwnKind) {
  const GuardValue number = int64_t{4}, flag = true, text = std::string("a"), list = std::vector<int64_t>{0, 1};
  auto kinds = [&](GuardFact fact) {
    std::string kinds;
    for (const GuardValue *value : {&number, &flag, &text, &list})
      kinds += hasKindOf(fact, *value) ? guardValueText(*value) : "";
    return kinds;
  };
  EXPECT_EQ(kinds(GuardFact::Rank), "4");
  EXPECT_EQ(kinds(GuardFact::Size), "4");
  EXPECT_EQ(kinds(GuardFact::Ranks), "[0, 1]");
  EXPECT_EQ(kinds(GuardFact::Member), "true");
  EXPECT_EQ(kinds(GuardFact::Tag), "\"a\"");
  EXPECT_EQ(kinds(GuardFact::Name), "\"a\"");
  EXPECT_EQ(kinds(GuardFact::MeshDims), "4");
  EXPECT_EQ(kinds(GuardFact::DeviceType), "\"a\"");
}

// --- Meshes ---

TEST_F(Guards, AMeshIsComparedWithWhatItsGroupStates) {
  Group tp{.name = "tp", .ranks = {0, 1}, .attributes = {{"mesh_ndim", "2"}, {"device_type", "\"cuda\""}}};
  graph.groups().set(tp);
  graph.guards = {{GuardFact::MeshDims, "tp", int64_t{2}}, {GuardFact::DeviceType, "tp", std::string("cuda")}};
  EXPECT_EQ(check(), "");
  EXPECT_EQ(check(0, 2), "");
  tp.attributes = {{"mesh_ndim", "3"}, {"device_type", "\"cpu\""}};
  graph.groups().set(tp);
  EXPECT_EQ(check(), "error: group tp: the graph was traced with mesh_ndim 2, and it is 3 now [guards.fact]\n" +
                         asWritten +
                         "error: group tp: the graph was traced with device_type \"cuda\", and it is \"cpu\" now "
                         "[guards.fact]\n" +
                         asWritten);
}

TEST_F(Guards, AMeshThatNoGroupDescribesIsUnknown) {
  graph.guards = {{GuardFact::MeshDims, "tp", int64_t{2}}, {GuardFact::DeviceType, "tp", std::string("cuda")}};
  group("tp", {0, 1});
  EXPECT_EQ(check(), "");
  graph.groups().set(
      Group{.name = "tp", .ranks = {0, 1}, .attributes = {{"mesh_ndim", "\"3\""}, {"device_type", "3"}}});
  EXPECT_EQ(check(), "");
}

// --- Written programs ------------------------------------------------------------------------------------------------

TEST_F(Guards, AGroupThatIsNotThereAnyMoreIsAnotherFact) {
  graph.guards = {{GuardFact::Size, "tp", int64_t{2}}};
  EXPECT_EQ(check(), ""); // no group has stated members
  group("dp", {0, 1});
  EXPECT_EQ(check(), "error: group tp: the graph was traced with size 2, and there is no such group now "
                     "[guards.fact]\n" +
                         asWritten);
}

TEST_F(Guards, GroupsThatWereAssumedSayNothingOfOthers) {
  graph.guards = {{GuardFact::Size, "tp", int64_t{4}}, {GuardFact::Size, "dp", int64_t{4}}};
  Group assumed;
  assumed.name = "dp";
  assumed.ranks = {0, 1};
  assumed.assumed = true;
  graph.groups().set(assumed);
  EXPECT_EQ(check(), "error: group dp: the graph was traced with size 4, and it is 2 now [guards.fact]\n" + asWritten);
}

TEST_F(Guards, WhatDiffersByRankIsNotAskedWhereOneTextServesAll) {
  cells("tp", {{0, 1}, {2, 3}});
  graph.guards = {{GuardFact::Rank, "tp", int64_t{7}},
                  {GuardFact::Member, "tp", false},
                  {GuardFact::Ranks, "tp", std::vector<int64_t>{9}}};
  EXPECT_EQ(check(), "");
  graph.rank = 3;
  std::string found = check();
  EXPECT_NE(found.find("rank 7, and it is 1 now"), std::string::npos) << found;
  EXPECT_NE(found.find("member false, and it is true now"), std::string::npos) << found;
  EXPECT_NE(found.find("ranks [9], and it is [2, 3] now"), std::string::npos) << found;
}

TEST_F(Guards, OfAGroupWhoseMembersNobodyHasSaidTheNameIsKnown) {
  group("tp", {});
  graph.rank = 0;
  graph.guards = {{GuardFact::Size, "tp", int64_t{4}},
                  {GuardFact::Ranks, "tp", std::vector<int64_t>{0}},
                  {GuardFact::Rank, "tp", int64_t{1}},
                  {GuardFact::Member, "tp", false}};
  EXPECT_EQ(check(), "");
  EXPECT_EQ(check(0, 8), "");
  graph.guards = {{GuardFact::Name, "tp", std::string("pt")}};
  EXPECT_NE(check().find("name \"pt\", and it is \"tp\" now"), std::string::npos) << check();
}

// --- In a run --------------------------------------------------------------------------------------------------------

TEST_F(Guards, ARunIsOfItsRankWhateverTheTextSays) {
  group("tp", {0, 1});
  graph.rank = 1;
  graph.guards = {{GuardFact::Rank, "tp", int64_t{1}}};
  EXPECT_EQ(check(), "");
  EXPECT_EQ(check(1, 2), "");
  EXPECT_EQ(check(0, 2),
            "error: group tp: the graph was traced with rank 1, and it is 0 on rank 0 of 2 [guards.fact]\n" + inARun);
}

TEST_F(Guards, OfAGroupARunHasTheRanksThatAreThere) {
  group("tp", {3, 1, 0});
  graph.guards = {{GuardFact::Size, "tp", int64_t{3}}};
  EXPECT_EQ(check(0, 4), "");
  EXPECT_EQ(check(0, 8), "");
  EXPECT_NE(check(0, 3).find("size 3, and it is 2 on rank 0 of 3"), std::string::npos) << check(0, 3);
  graph.guards = {{GuardFact::Ranks, "tp", std::vector<int64_t>{3, 1, 0}}};
  EXPECT_NE(check(1, 3).find("ranks [3, 1, 0], and it is [1, 0] on rank 1 of 3"), std::string::npos) << check(1, 3);
}

TEST_F(Guards, TheDefaultGroupIsAllRanksOfTheRun) {
  Group world;
  world.name = "0";
  world.description = "default_pg";
  world.ranks = {0, 1, 2, 3};
  graph.groups().set(world);
  group("tp", {0, 1, 2, 3});
  graph.guards = {{GuardFact::Size, "0", int64_t{4}}, {GuardFact::Size, "tp", int64_t{4}}};
  EXPECT_EQ(check(3, 4), "");
  EXPECT_EQ(check(0, 8),
            "error: group 0: the graph was traced with size 4, and it is 8 on rank 0 of 8 [guards.fact]\n" + inARun);
}

TEST_F(Guards, EachRankHasItsCell) {
  cells("tp", {{0, 1}, {3, 2}});
  graph.guards = {{GuardFact::Ranks, "tp", std::vector<int64_t>{3, 2}}, {GuardFact::Rank, "tp", int64_t{0}}};
  EXPECT_EQ(check(3, 4), "");
  EXPECT_NE(check(0, 4).find("ranks [3, 2], and it is [0, 1] on rank 0 of 4"), std::string::npos) << check(0, 4);
  EXPECT_NE(check(2, 4).find("rank 0, and it is 1 on rank 2 of 4"), std::string::npos) << check(2, 4);
}

// --- Plans -----------------------------------------------------------------------------------------------------------

TEST_F(Guards, OfAPlanAreAskedOfItsOwnGroups) {
  Plan plan(context);
  plan.groups.push_back({.name = "tp", .ranks = {0, 1}});
  plan.guards = {{GuardFact::Size, "tp", int64_t{2}}, {GuardFact::Rank, "tp", int64_t{1}}};
  EXPECT_EQ(llvm::toString(checkGuards(plan)), "");
  EXPECT_EQ(llvm::toString(checkGuards(plan, RunPlace{1, 2})), "");
  plan.rank = 0;
  EXPECT_EQ(llvm::toString(checkGuards(plan)),
            "error: group tp: the graph was traced with rank 1, and it is 0 now [guards.fact]\n" + asWritten);
  EXPECT_EQ(llvm::toString(checkGuards(plan, RunPlace{1, 2})), "");
}

} // namespace
} // namespace ccgraph
