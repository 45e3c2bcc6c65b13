// Tests groups with known sizes only, as dimensions of one mesh.
#include "ccgraph/ir/group_nesting.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

UsedGroup used(const std::string &name, int64_t size, unsigned depth) {
  return {.id = {GroupId::Kind::Name, name, {}}, .size = size, .depth = depth, .given = {}, .place = {}};
}

using Layouts = std::vector<std::optional<GroupLayout>>;

} // namespace

TEST(GroupNesting, ActivationsAreInsideOfParameters) {
  EXPECT_EQ(nestGroups({used("fsdp", 8, 1), used("tp", 8, 2)}, 64), Layouts({{{8, 8}}, {{8, 1}}}));
}

TEST(GroupNesting, AGroupOfUnknownSizeHasTheRestOfTheRanks) {
  EXPECT_EQ(nestGroups({used("replicate", 0, 0), used("shard", 4, 1)}, 8), Layouts({{{2, 4}}, {{4, 1}}}));
  EXPECT_EQ(nestGroups({used("tp", 0, 2), used("fsdp", 8, 1)}, 64), Layouts({{{8, 1}}, {{8, 8}}}));
}

TEST(GroupNesting, TwoGroupsOfUnknownSizeStayUnknown) {
  EXPECT_EQ(nestGroups({used("a", 0, 2), used("b", 0, 1)}, 8), Layouts({std::nullopt, std::nullopt}));
}

TEST(GroupNesting, AGroupOfAllRanksIsNoDimension) {
  EXPECT_EQ(nestGroups({used("0", 8, 1), used("cp", 4, 2)}, 8), Layouts({{{8, 1}}, {{4, 1}}}));
}

TEST(GroupNesting, TheWholeMeshBesideItsDimensionsIsTheWorld) {
  EXPECT_EQ(impliedWorldSize({used("a", 2, 2), used("b", 4, 1), used("ab", 8, 0)}), 8);
  EXPECT_EQ(impliedWorldSize({used("a", 2, 2), used("b", 4, 1)}), 8);
  EXPECT_EQ(impliedWorldSize({used("0", 16, 1), used("a", 2, 2)}), 16);
  EXPECT_EQ(impliedWorldSize({used("a", 0, 2)}), 0);
}

TEST(GroupNesting, NestsAroundWhatIsGiven) {
  UsedGroup given = used("fsdp", 4, 1);
  given.given = GroupLayout{4, 1};
  EXPECT_EQ(nestGroups({given, used("tp", 2, 2)}, 8), Layouts({{{4, 1}}, {{2, 4}}}));
}

TEST(GroupNesting, APlaceRulesOutStrides) {
  UsedGroup group = used("tp", 2, 2); // rank 1 is the first of its subgroup, so the subgroup is not [0, 1]
  group.rank = 1;
  group.place = 0;
  EXPECT_EQ(nestGroups({group, used("fsdp", 2, 1)}, 4)[1], (GroupLayout{2, 1}));
}

TEST(GroupNesting, CellsCoverTheWorld) {
  EXPECT_EQ(cellsOf({2, 2}, 4), (std::vector<std::vector<int64_t>>{{0, 2}, {1, 3}}));
  EXPECT_TRUE(cellsOf({2, 2}, 6).empty());
}
