// Tests the rewrite of a whole job: which orders are kept, and why others are not.
#include "ccgraph/toolkit/job_rewrite.h"

#include "ccgraph/passes/registry.h"

#include "llvm/Support/FileSystem.h"

#include <fstream>
#include <gtest/gtest.h>

namespace ccgraph {
namespace {

/// Launches "second" before "first" where the graph has both, if ranks need not keep their order. `always`: also in
/// graphs of other ranks than 0.
class SwapPass final : public Pass {
public:
  explicit SwapPass(bool always) : Pass({"swap", "Exchanges two launches.", Phase::Schedule}), always_(always) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override {
    Node *first = graph.find("first"), *second = graph.find("second");
    if (!context.spmd() || !first || !second || (!always_ && !graph.find("of_rank_0")))
      return Changed::No;
    graph.moveBefore(second, first);
    return Changed::Yes;
  }
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<SwapPass>(always_); }

private:
  bool always_;
};

Pipeline swap(bool always) {
  Pipeline pipeline;
  pipeline.append(std::make_unique<SwapPass>(always));
  return pipeline;
}

/// Two launches on two groups, of which all are waited for at the end.
std::string textOf(const std::string &input, const std::string &a, const std::string &b,
                   const std::string &reduction = "sum") {
  std::string all = "torch.ops._c10d_functional.all_reduce.default(";
  std::string wait = "torch.ops._c10d_functional.wait_tensor.default(";
  return "class f(torch.nn.Module):\n  def forward(self, " + input + ": \"f32[4][1]cpu\"):\n" +
         "    first: \"f32[4][1]cpu\" = " + all + input + ", '" + reduction + "', '" + a + "')\n" +
         "    second: \"f32[4][1]cpu\" = " + all + input + ", 'sum', '" + b + "')\n" +
         "    w1: \"f32[4][1]cpu\" = " + wait + "first)\n    w2: \"f32[4][1]cpu\" = " + wait + "second)\n" +
         "    return (w1, w2)\n";
}

class JobRewriteTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("ccgraph-rewrite", folder_));
    write("groups.json",
          R"({"groups": {"world": {"ranks": [0, 1, 2]}, "pair": {"ranks": [0, 1]}, "again": {"ranks": [0, 1]}}})");
    write("0.py", textOf("of_rank_0", "world", "pair"));
    write("1.py", textOf("x", "world", "pair"));
    write("2.py", "class f(torch.nn.Module):\n  def forward(self, x: \"f32[4][1]cpu\"):\n    only: \"f32[4][1]cpu\" = "
                  "torch.ops._c10d_functional.all_reduce.default(x, 'sum', 'world')\n    w: \"f32[4][1]cpu\" = "
                  "torch.ops._c10d_functional.wait_tensor.default(only)\n    return (w,)\n");
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder_); }

  [[nodiscard]] std::string path(llvm::StringRef name) const { return (folder_ + "/" + name).str(); }
  void write(llvm::StringRef name, const std::string &text) const { std::ofstream(path(name)) << text; }

  /// Rewrites the graphs of ranks 0 to n - 1. `swapped` has the ranks whose order has changed in the results.
  JobRewrite rewrite(const Pipeline &pipeline, int64_t ranks = 3) {
    JobDescription job;
    for (int64_t rank = 0; rank != ranks; ++rank)
      job.graphs.push_back({path(std::to_string(rank) + ".py"), path("groups.json"), {rank}});
    swapped.clear();
    Diagnostics warnings;
    return llvm::cantFail(rewriteJob(
        {job, pipeline, chosen_, machine_},
        [&](const JobGraph &from, const Graph &graph) {
          const Node *first = graph.find("first"), *second = graph.find("second");
          if (first && second->isBefore(first))
            swapped.push_back(from.ranks.front());
          return llvm::Error::success();
        },
        warnings));
  }

  llvm::SmallString<128> folder_;
  PassManagerOptions chosen_;
  std::optional<Machine> machine_;
  std::vector<int64_t> swapped;
};

} // namespace

TEST_F(JobRewriteTest, OrdersThatAllRanksChangeAlikeAreProved) {
  JobRewrite result = rewrite(swap(true));
  EXPECT_EQ(result.reason, "");
  EXPECT_EQ(result.ranks, 3U);
  EXPECT_EQ(result.changed, 2U);
  EXPECT_EQ(result.safe.size(), jobs::allSemantics.size());
  EXPECT_EQ(swapped, (std::vector<int64_t>{0, 1}));
}

TEST_F(JobRewriteTest, AnOrderThatOneRankChangesIsNotKept) {
  JobRewrite result = rewrite(swap(false));
  EXPECT_EQ(result.reason, "with the new orders, ranks 0-1 would wait for each other under one-at-a-time");
  EXPECT_EQ(result.changed, 0U);
  EXPECT_TRUE(swapped.empty());
}

TEST_F(JobRewriteTest, AJobThatHangsBeforeMayBeRewrittenAsLongAsNoVerdictIsWorse) {
  write("1.py", textOf("x", "pair", "world"));
  JobRewrite result = rewrite(swap(false));
  EXPECT_EQ(result.reason, "") << "the exchange on rank 0 alone repairs the job";
  EXPECT_EQ(swapped, (std::vector<int64_t>{0}));
}

TEST_F(JobRewriteTest, TwoNamesOfOneGroupKeepTheirOrder) {
  for (int64_t rank : {0, 1})
    write(std::to_string(rank) + ".py", textOf(rank == 0 ? "of_rank_0" : "x", "again", "pair"));
  write("2.py", "class f(torch.nn.Module):\n  def forward(self, x: \"f32[4][1]cpu\"):\n    return (x,)\n");
  // The k-th launches would still be alike in all fields, and meet other values.
  PassManagerOptions unchecked;
  unchecked.checkLegality = false;
  chosen_ = unchecked;
  JobRewrite result = rewrite(swap(false));
  EXPECT_EQ(result.reason,
            "the passes change the collectives of the group of ranks 0-1 on rank 1 in another way than on rank 0");
  EXPECT_TRUE(swapped.empty());
}

TEST_F(JobRewriteTest, RanksOfOneProgramMayOrderOneGroupAnew) {
  for (const char *file : {"0.py", "1.py"})
    write(file, textOf("x", "again", "pair"));
  chosen_.checkLegality = false;
  JobRewrite result = rewrite(swap(true), 2);
  EXPECT_EQ(result.reason, "");
  EXPECT_EQ(swapped, (std::vector<int64_t>{0, 1}));
}

TEST_F(JobRewriteTest, CollectivesThatAllMembersMergeAlikeAreProved) {
  for (const char *file : {"0.py", "1.py"})
    write(file, textOf("x", "pair", "pair"));
  JobRewrite result = rewrite(llvm::cantFail(Pipeline::parse("coalesce-collectives")), 2);
  EXPECT_EQ(result.reason, "");
  EXPECT_EQ(result.changed, 2U);
}

TEST_F(JobRewriteTest, AMergeThatOneMemberMakesInAnotherOrderIsNotProved) {
  for (const char *file : {"0.py", "1.py"})
    write(file, textOf(file[0] == '0' ? "of_rank_0" : "x", "pair", "pair"));
  // The lists have equal fields, so only the places of their members differ.
  Pipeline pipeline = swap(false);
  pipeline.append(createPass("coalesce-collectives"));
  chosen_.checkLegality = false;
  JobRewrite result = rewrite(pipeline, 2);
  EXPECT_EQ(result.reason,
            "the passes change the collectives of the group of ranks 0-1 on rank 1 in another way than on rank 0");
}

TEST_F(JobRewriteTest, AMergeOfOneMemberAloneIsNotProved) {
  write("0.py", textOf("x", "pair", "pair"));
  std::string late = textOf("x", "pair", "pair");
  // The second collective reads the first one, so the two cannot be merged.
  late.replace(late.find("(x, 'sum', 'pair')", late.find("second")), 3, "(w1,");
  size_t wait = late.find("    w1:"), end = late.find('\n', wait) + 1, second = late.find("    second");
  std::string line = late.substr(wait, end - wait);
  late.erase(wait, end - wait);
  late.insert(second, line);
  write("1.py", late);
  JobRewrite result = rewrite(llvm::cantFail(Pipeline::parse("coalesce-collectives")), 2);
  EXPECT_EQ(result.reason,
            "the passes change the collectives of the group of ranks 0-1 on rank 1 in another way than on rank 0");
}

TEST_F(JobRewriteTest, APartOfAJobIsNotEnough) {
  JobRewrite result = rewrite(swap(true), 2);
  EXPECT_EQ(result.reason, "the job is not given whole: rank 2, which has no graph, launches what its groups need");
  EXPECT_TRUE(swapped.empty());
}

TEST_F(JobRewriteTest, AJobWhoseRanksDisagreeIsNotRewrittenTogether) {
  write("1.py", textOf("x", "world", "pair", "max"));
  JobRewrite result = rewrite(swap(true));
  EXPECT_EQ(result.reason, "the job as given has a finding about rank 1 [reduction]");
  EXPECT_TRUE(swapped.empty());
}

} // namespace ccgraph
