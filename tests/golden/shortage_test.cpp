// Tests that the missing memory budget in a remark about a node is exactly the budget that lets it move, to the byte.
#include "support/golden_case.h"

#include "ccgraph/frontend/files.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

struct Shortage {
  std::string node;
  int64_t bytes = 0;
};

/// The missing bytes of the nodes that the budget stopped, and the budget.
struct Shortages {
  std::vector<Shortage> all;
  std::optional<int64_t> budget;

  [[nodiscard]] bool contains(const std::string &node) const {
    return llvm::any_of(all, [&](const Shortage &shortage) { return shortage.node == node; });
  }
};

Shortages shortagesOf(const GoldenCase &golden, std::optional<int64_t> budget) {
  std::unique_ptr<Graph> graph = golden.inputs.front()->clone();
  PassManagerOptions manager = golden.manager;
  if (budget)
    manager.memoryBudget = budget;
  PipelineRun run = llvm::cantFail(runPipeline(*graph, golden.pipeline, manager));
  Shortages found;
  found.budget = run.memoryBudget;
  for (const PassRun &pass : run.passes)
    for (const Remark &remark : pass.remarks)
      for (const auto &[name, value] : remark.args)
        if (name == "lacks")
          found.all.push_back({remark.node, std::stoll(value)});
  return found;
}

/// Returns true if the golden has exactly one node that the budget stops, so that nothing else moves when it does.
bool holdsShortage(const std::string &path) {
  InputFile file = llvm::cantFail(InputFile::open(path));
  GoldenCase golden = llvm::cantFail(GoldenCase::read(llvm::cantFail(GoldenFile::parse(path, file.text()))));
  if (golden.inputs.size() != 1 || !golden.manager.limitMemory || golden.pipeline.passes().size() != 1)
    return false;
  Shortages found = shortagesOf(golden, std::nullopt);
  if (found.all.size() != 1)
    return false;
  const Shortage &only = found.all.front();
  EXPECT_FALSE(shortagesOf(golden, *found.budget + only.bytes).contains(only.node)) << only.bytes << " are enough";
  EXPECT_TRUE(shortagesOf(golden, *found.budget + only.bytes - 1).contains(only.node)) << only.bytes << " are needed";
  return true;
}

class ShortageTest : public testing::TestWithParam<const char *> {};

TEST_P(ShortageTest, IsWhatLetsANodeMove) {
  size_t tried = 0;
  for (const std::string &path : findGoldens(std::string(CCGRAPH_SOURCE_DIR) + "/tests/golden/" + GetParam())) {
    SCOPED_TRACE(path);
    tried += holdsShortage(path);
  }
  EXPECT_GE(tried, 2U);
}

INSTANTIATE_TEST_SUITE_P(Passes, ShortageTest, testing::Values("sink-waits"));

} // namespace
} // namespace ccgraph::test
