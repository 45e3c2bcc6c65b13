// Tests GroupId: which groups are proved equal, which are proved different, and which are neither.
#include "ccgraph/ir/group_id.h"

#include "program.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

using test::Item;

constexpr const char *meshGroup = "_dtensor.mesh_get_process_group.default";

class GroupIdTest : public testing::Test {
protected:
  /// Returns an all_reduce on a group.
  Node *on(const Item &group) {
    return program_.call("ar", "_c10d_functional.all_reduce.default", {x_, "sum", group}, "f32[4][1]cpu");
  }
  /// Returns an all_reduce of the older form.
  Node *legacy(const char *tag, const std::vector<Item> &ranks) {
    return program_.call("ar", "c10d_functional.all_reduce.default",
                         {x_, "sum", tag, test::list(ranks), static_cast<int>(ranks.size())}, "f32[4][1]cpu");
  }
  Node *meshCall(const std::vector<Item> &args, const std::vector<std::pair<const char *, Item>> &kwargs = {}) {
    return program_.call("pg", meshGroup, args, kwargs, "");
  }
  static bool same(const Node *a, const Node *b) { return groupIdOf(*a) == groupIdOf(*b); }
  bool mayBeOne(const Node *a, const Node *b) {
    return mayBeOneGroup(program_.graph.groups(), groupIdOf(*a), groupIdOf(*b));
  }
  bool mayShare(const Node *a, const Node *b) {
    return mayShareRanks(program_.graph.groups(), groupIdOf(*a), groupIdOf(*b));
  }
  void describe(const char *name, std::vector<int64_t> ranks, bool assumed = false) {
    program_.graph.groups().set({.name = name, .ranks = std::move(ranks), .assumed = assumed});
  }

  test::Program program_;
  Node *x_ = program_.input("x", "f32[4][1]cpu");
  Node *mesh_ = program_.input("mesh");
};

TEST_F(GroupIdTest, NamesAreKeysOfTheRegistry) {
  EXPECT_TRUE(same(on("tp"), on("tp")));
  EXPECT_FALSE(same(on("tp"), on("dp")));
  EXPECT_FALSE(mayBeOne(on("tp"), on("dp")));
  EXPECT_TRUE(mayShare(on("tp"), on("dp"))) << "nobody says who is in them";
}

TEST_F(GroupIdTest, NamesToWhichAFileGivesEqualMembersMayBeAliases) {
  describe("tp", {0, 1});
  describe("dp", {0, 1});
  describe("ep", {0, 2});
  EXPECT_FALSE(same(on("tp"), on("dp")));
  EXPECT_TRUE(mayBeOne(on("tp"), on("dp")));
  EXPECT_FALSE(mayBeOne(on("tp"), on("ep")));
  EXPECT_FALSE(mayShare(on("tp"), on("ep")));
  describe("dp", {0, 1}, true);
  EXPECT_FALSE(mayBeOne(on("tp"), on("dp"))) << "what was assumed proves nothing";
}

TEST_F(GroupIdTest, APartitionMayBeAnotherWithOneEqualCell) {
  program_.graph.groups().set({.name = "tp", .partition = {{0, 1}, {2, 3}}});
  program_.graph.groups().set({.name = "dp", .partition = {{0, 2}, {1, 3}}});
  describe("low", {2, 3});
  EXPECT_FALSE(mayBeOne(on("tp"), on("dp")));
  EXPECT_FALSE(mayShare(on("tp"), on("dp")));
  EXPECT_TRUE(mayBeOne(on("tp"), on("low")));
}

TEST_F(GroupIdTest, ACallThatMakesAGroupIsItsArguments) {
  Node *first = on(meshCall({mesh_, 0}));
  EXPECT_TRUE(same(first, on(meshCall({mesh_, 0}))));
  EXPECT_TRUE(same(first, on(meshCall({mesh_}, {{"dim", 0}})))) << "by position and by keyword";
  EXPECT_FALSE(same(first, on(meshCall({mesh_, 1}))));
  EXPECT_FALSE(same(on(meshCall({mesh_}, {{"dim", 0}})), on(meshCall({mesh_}, {{"dim", 1}}))));
  EXPECT_TRUE(mayBeOne(first, on(meshCall({mesh_, 1}))));
  EXPECT_TRUE(mayBeOne(first, on("tp")));
  EXPECT_TRUE(mayShare(first, on("tp")));
}

TEST_F(GroupIdTest, ArgumentsOfEveryKindAreRead) {
  std::vector<Item> values = {0,
                              1,
                              0.5,
                              1.5,
                              true,
                              false,
                              "a",
                              "b",
                              Item::none(),
                              DType::F32,
                              DType::I64,
                              test::list({0, 1}),
                              test::list({1, 0}),
                              test::list({test::list({0, 1})})};
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t j = 0; j < values.size(); ++j)
      EXPECT_EQ(same(on(meshCall({mesh_, values[i]})), on(meshCall({mesh_, values[j]}))), i == j) << i << " " << j;
}

TEST_F(GroupIdTest, AnOperatorThatNobodyKnowsMakesAnotherGroupEachTime) {
  Node *made = program_.call("made", "mylib.make_group.default", {mesh_, 0});
  EXPECT_TRUE(same(on(made), on(made)));
  EXPECT_FALSE(same(on(made), on(program_.call("again", "mylib.make_group.default", {mesh_, 0}))));
}

TEST_F(GroupIdTest, AttributesAreOneByTheirTargetOnly) {
  Node *attribute = program_.attribute("_torchbind_obj0");
  EXPECT_TRUE(same(on(attribute), on(attribute)));
  EXPECT_FALSE(same(on(attribute), on(program_.attribute("_torchbind_obj1"))));
  EXPECT_TRUE(mayBeOne(on(attribute), on(program_.attribute("_torchbind_obj2"))));
  EXPECT_EQ(groupIdOf(*on(attribute)).kind, GroupId::Kind::Value);
  describe("_torchbind_obj0", {0, 1});
  EXPECT_EQ(groupIdOf(*on(attribute)).kind, GroupId::Kind::Name);
}

TEST_F(GroupIdTest, ALongExpressionIsTheNodeThatMakesIt) {
  Node *chain = mesh_;
  for (int i = 0; i < 600; ++i)
    chain = program_.call("deep", meshGroup, {chain, i});
  Node *twin = program_.call("twin", meshGroup, {chain, 0});
  EXPECT_FALSE(same(on(twin), on(program_.call("twin", meshGroup, {chain, 0}))));
  EXPECT_TRUE(same(on(twin), on(twin)));
}

TEST_F(GroupIdTest, OlderCallsNameTagAndRanks) {
  EXPECT_TRUE(same(legacy("", {0, 1}), legacy("", {0, 1})));
  EXPECT_FALSE(same(legacy("", {0, 1}), legacy("", {1, 0})));
  EXPECT_FALSE(same(legacy("", {0, 1}), legacy("t", {0, 1})));
  EXPECT_TRUE(mayBeOne(legacy("", {0, 1}), legacy("t", {0, 1})));
  EXPECT_FALSE(mayBeOne(legacy("", {0, 1}), legacy("", {0, 2})));
  EXPECT_EQ(groupIdOf(*legacy("", {0, 1})).text, "ranks [0, 1]");
  EXPECT_TRUE(mayBeOne(legacy("", {0, 1}), on("dp"))) << "nobody says who is in dp";
  describe("dp", {0, 1, 2});
  EXPECT_FALSE(mayBeOne(legacy("", {0, 1}), on("dp")));
  EXPECT_TRUE(mayShare(legacy("", {0, 1}), on("dp")));
}

TEST_F(GroupIdTest, WhatCannotBeReadIsItsOwnCall) {
  Node *call = on(3.5);
  EXPECT_EQ(groupIdOf(*call).kind, GroupId::Kind::Unknown);
  EXPECT_TRUE(same(call, call));
  EXPECT_FALSE(same(call, on(3.5)));
  EXPECT_TRUE(mayBeOne(call, on("tp")));
}

TEST_F(GroupIdTest, OpenGroupsAreThoseThatMayBeAnother) {
  describe("a", {0, 1});
  describe("b", {0, 1});
  describe("c", {0, 2});
  std::vector<Node *> calls = {on("a"), on("b"), on("c"), on("bare")};
  auto open = [&] {
    std::vector<GroupId> ids;
    for (const Node *call : calls)
      ids.push_back(groupIdOf(*call));
    return openGroups(program_.graph.groups(), ids);
  };
  EXPECT_EQ(open(), (std::vector<bool>{true, true, false, false}));
  calls.push_back(legacy("", {0, 2}));
  EXPECT_EQ(open(), (std::vector<bool>{true, true, true, true, true}));
  calls = {on(meshCall({mesh_, 0}))};
  EXPECT_EQ(open(), std::vector<bool>{false}) << "there is no other";
}

} // namespace
} // namespace ccgraph
