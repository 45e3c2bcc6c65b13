// The programs of ccgraph-run, after its passes.
#include "driver/run_program.h"

#include "gtest/gtest.h"

#include "llvm/Support/FileSystem.h"

namespace ccgraph::driver {
namespace {

const char *const twoSums = R"(class graph(torch.nn.Module):
    def forward(self, x: "f32[2][1]cpu", y: "f32[4, 1][1, 1]cpu"):
        a: "f32[2][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
        b: "f32[2][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
        wa: "f32[2][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
        wb: "f32[2][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
        c: "f32[4, 1][1, 1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(y, [SPLITS], [2, 2], '0')
        return (wa, wb)
)";

/// Merges the collectives of the text as ccgraph-run does, and returns whether that changed it.
bool isMerged(std::string text, const std::string &splits) {
  text.replace(text.find("SPLITS"), 6, splits);
  llvm::SmallString<128> path;
  int file = 0;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("program", "py", file, path));
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << text;
  RunOptions options;
  options.ranks = 2;
  std::string said;
  llvm::raw_string_ostream os(said);
  RunProgram program(options, {os, os});
  EXPECT_EQ(llvm::toString(program.open({path.str().str()})), "");
  EXPECT_EQ(llvm::toString(program.load()), "");
  llvm::Expected<Pipeline> pipeline = Pipeline::parse("coalesce-collectives");
  EXPECT_EQ(llvm::toString(program.transform(*pipeline)), "");
  llvm::sys::fs::remove(path);
  return program.changed();
}

TEST(RunProgram, MergesCollectivesOfAGraphThatEveryRankCanRun) { EXPECT_TRUE(isMerged(twoSums, "2, 2")); }

// ccgraph-opt leaves such a graph too (ranks-differ-by-splits.case); both tools make their options by passOptions().
TEST(RunProgram, MergesNothingIfTheSplitsCannotBeThoseOfEveryRank) { EXPECT_FALSE(isMerged(twoSums, "3, 1")); }

} // namespace
} // namespace ccgraph::driver
