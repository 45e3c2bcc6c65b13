// Tests contradictions in the graph of one rank to the assumption that every rank runs it.
#include "ccgraph/toolkit/spmd_evidence.h"

#include "ccgraph/frontend/fx_text.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

std::unique_ptr<Graph> graphOf(Context &context, llvm::StringRef inputs, llvm::StringRef body) {
  std::string text = ("class graph(torch.nn.Module):\n    def forward(self, " + inputs + "):\n" + body).str();
  return std::move(llvm::cantFail(readFxText(context, {"rank.py", text})).front());
}

/// Returns the rules of the contradictions.
std::vector<std::string> rulesOf(llvm::StringRef inputs, llvm::StringRef body, const Group &group = {}) {
  Context context;
  std::unique_ptr<Graph> graph = graphOf(context, inputs, body);
  if (!group.name.empty()) {
    graph->groups().set(group);
    graph->rank = 2;
  }
  std::vector<std::string> rules;
  for (const SpmdContradiction &found : spmdContradictions(*graph))
    rules.push_back(found.rule);
  return rules;
}

using Rules = std::vector<std::string>;

std::vector<std::string> rulesOfSplits(llvm::StringRef expected, llvm::StringRef sent) {
  return rulesOf("x: \"f32[8, 4][4, 1]cpu\"",
                 ("        a = torch.ops._c10d_functional.all_to_all_single.default(x, " + expected + ", " + sent +
                  ", 'ep')\n        w = torch.ops._c10d_functional.wait_tensor.default(a)\n        return (w,)\n")
                     .str());
}

TEST(SpmdEvidence, EqualSplitsAreThoseOfEveryRank) {
  EXPECT_EQ(rulesOfSplits("[4, 4]", "[4, 4]"), Rules());
  EXPECT_EQ(rulesOfSplits("None", "None"), Rules());
}

TEST(SpmdEvidence, UnequalSplitsAreNot) {
  EXPECT_EQ(rulesOfSplits("[3, 5]", "[3, 5]"), Rules({"splits"}));
  EXPECT_EQ(rulesOfSplits("[3, 3]", "[4, 4]"), Rules({"splits"}));
}

TEST(SpmdEvidence, NoRankTransfersToItself) {
  EXPECT_EQ(rulesOf("x: \"f32[4][1]cpu\"", "        s = torch.ops._c10d_functional.isend.default(x, 1, 0, '0')\n"
                                           "        w = torch.ops._c10d_functional.wait_tensor.default(s)\n"
                                           "        return (w,)\n"),
            Rules({"peers"}));
}

/// Returns the rules for shards of 3 rows on 4 ranks, sliced to `kept` rows.
std::vector<std::string> rulesOfCut(llvm::StringRef kept) {
  return rulesOf("x: \"f32[3, 4][4, 1]cpu\"",
                 ("        g: \"f32[12, 4][4, 1]cpu\" = "
                  "torch.ops._c10d_functional.all_gather_into_tensor.default(x, 4, '0')\n"
                  "        w: \"f32[12, 4][4, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(g)\n"
                  "        s: \"f32[" +
                  kept + ", 4][4, 1]cpu\" = torch.ops.aten.slice.Tensor(w, 0, 0, " + kept + ")\n        return (s,)\n")
                     .str());
}

TEST(SpmdEvidence, ShardsOfTenRowsOnFourRanksAreUneven) { EXPECT_EQ(rulesOfCut("10"), Rules({"shards"})); }

TEST(SpmdEvidence, RowsThatAllRanksHaveInEqualNumberAreNot) {
  EXPECT_EQ(rulesOfCut("8"), Rules()); // two rows of each rank
  EXPECT_EQ(rulesOfCut("3"), Rules()); // the rows of rank 0
}

TEST(SpmdEvidence, ARankOutsideOfTheGroupRunsAnotherProgram) {
  llvm::StringRef body = "        r = torch.ops._c10d_functional.all_reduce.default(x, 'sum', 'g')\n"
                         "        w = torch.ops._c10d_functional.wait_tensor.default(r)\n        return (w,)\n";
  EXPECT_EQ(rulesOf("x: \"f32[4][1]cpu\"", body, {.name = "g", .ranks = {0, 1}}), Rules({"outside"}));
  EXPECT_EQ(rulesOf("x: \"f32[4][1]cpu\"", body, {.name = "g", .ranks = {0, 2}}), Rules());
}

TEST(SpmdEvidence, OtherRanksDecideFirst) {
  Context context;
  auto graph = graphOf(context, "x: \"f32[4][1]cpu\"", "        return (x,)\n");
  EXPECT_EQ(ranksDifferText(*graph, {}), "");
  EXPECT_EQ(ranksDifferText(*graph, {{0, 1}, "ranks 0 and 1 run different programs"}),
            "ranks 0 and 1 run different programs");
}

} // namespace
} // namespace ccgraph::test
