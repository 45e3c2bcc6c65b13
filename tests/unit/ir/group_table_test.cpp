#include "ccgraph/ir/group_table.h"

#include <gtest/gtest.h>

using namespace ccgraph;

TEST(GroupTableTest, AListIsTheSameForEveryRank) {
  Group group{.name = "0", .ranks = {0, 1, 2}};
  EXPECT_EQ(group.members(7).size(), 3U);
  EXPECT_EQ(group.size(), 3);
}

TEST(GroupTableTest, ARankTakesItsOwnCell) {
  Group group{.name = "tp", .partition = {{0, 2}, {1, 3}}};
  EXPECT_EQ(group.members(3).vec(), (std::vector<int64_t>{1, 3}));
  EXPECT_TRUE(group.members(9).empty());
  EXPECT_EQ(group.size(), 2);
}

TEST(GroupTableTest, UnequalCellsHaveNoCommonSize) {
  EXPECT_EQ((Group{.name = "g", .partition = {{0}, {1, 2}}}.size()), std::nullopt);
  EXPECT_EQ(Group{.name = "g"}.size(), std::nullopt);
}

TEST(GroupTableTest, SetReplacesAndKeepsOrder) {
  GroupTable table;
  table.set({.name = "b", .ranks = {0}});
  table.set({.name = "a", .ranks = {1}});
  table.set({.name = "b", .ranks = {2}});
  ASSERT_EQ(table.groups().size(), 2U);
  EXPECT_EQ(table.groups()[0].name, "b");
  EXPECT_EQ(table.find("b")->ranks.front(), 2);
  EXPECT_EQ(table.find("c"), nullptr);
}
