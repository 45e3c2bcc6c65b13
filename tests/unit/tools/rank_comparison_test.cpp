// Tests which differences between the graphs of ranks make them different programs.
#include "ccgraph/toolkit/rank_comparison.h"

#include "ccgraph/frontend/fx_text.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

struct RankFacts {
  std::string group = "1";
  std::string device = "cuda:0";
  std::string offset = "0";
  std::string chunk = "0, 0, 2";
  std::string splits = "[4, 4]";
  std::string rows = "8";
};

std::vector<std::string> linesOf(const RankFacts &facts, bool writes = false) {
  auto type = [&](const std::string &sizes) { return "\"f32[" + sizes + "]" + facts.device + "\""; };
  std::string whole = type(facts.rows + ", 4][4, 1"), part = type("2, 4][4, 1");
  std::string text = "class graph(torch.nn.Module):\n    def forward(self, x: " + whole + "):\n";
  auto line = [&](const std::string &name, const std::string &typeText, const std::string &call) {
    text += "        " + name + ": " + typeText + " = torch.ops." + call + "\n";
  };
  line("sub", whole, "aten.sub.Tensor(x, " + facts.offset + ")");
  line("chunk", part, "aten.slice.Tensor(sub, " + facts.chunk + ")");
  if (writes)
    line("add_", part, "aten.add_.Tensor(chunk, 1)");
  line("a2a", whole,
       "_c10d_functional.all_to_all_single.default(sub, " + facts.splits + ", " + facts.splits + ", '" + facts.group +
           "')");
  line("wait", whole, "_c10d_functional.wait_tensor.default(a2a)");
  text += "        return (wait, chunk)\n";
  Context context;
  return programLines(*llvm::cantFail(readFxText(context, {"rank.py", text})).front());
}

TEST(RankComparison, NamesOfGroupsDevicesOffsetsAndChunksAreARanksOwn) {
  EXPECT_EQ(linesOf({}), linesOf({.group = "4", .device = "cuda:3", .offset = "3000", .chunk = "0, 6, 8"}));
}

TEST(RankComparison, SplitsAndSizesMakeAnotherProgram) {
  EXPECT_NE(linesOf({}), linesOf({.splits = "[3, 5]"}));
  EXPECT_NE(linesOf({}), linesOf({.rows = "7"}));
}

TEST(RankComparison, APlaceInAStorageCountsWhereSomethingWrites) {
  EXPECT_NE(linesOf({}, true), linesOf({.chunk = "0, 6, 8"}, true));
  EXPECT_EQ(linesOf({}, true), linesOf({.offset = "3000"}, true));
}

RankComparison compared(std::vector<std::vector<std::string>> lines) {
  std::vector<RankProgram> programs;
  for (auto &of : lines)
    programs.push_back({static_cast<int64_t>(programs.size()), std::move(of)});
  return compareRanks(programs);
}

TEST(RankComparison, EqualProgramsDoNotDiffer) {
  RankComparison result = compared({{"a"}, {"a"}});
  EXPECT_EQ(result.ranks, std::vector<int64_t>({0, 1}));
  EXPECT_EQ(result.difference, "");
}

TEST(RankComparison, NamesTheOddRank) {
  EXPECT_EQ(compared({{"a", "b"}, {"a", "c"}, {"a", "b"}, {"a", "b"}}).difference,
            "rank 1 runs another program than ranks 0, 2 and 3: of rank 1 node 2 is c against b of rank 0");
  EXPECT_EQ(
      compared({{"a"}, {"a"}, {}}).difference,
      "rank 2 runs another program than ranks 0 and 1: of rank 2 no graph of this kind and compilation of rank 0");
}

TEST(RankComparison, NamesTwoWhereThereIsNoMajority) {
  EXPECT_EQ(compared({{"a"}, {"b"}}).difference,
            "ranks 0 and 1 run different programs: of rank 1 node 1 is b against a of rank 0");
}

TEST(RankComparison, WritesRanksAsSpans) {
  EXPECT_EQ(rankRangesText({3}), "rank 3");
  EXPECT_EQ(rankRangesText({0, 1, 2, 3, 6}), "ranks 0 to 3 and 6");
}

} // namespace
} // namespace ccgraph::test
