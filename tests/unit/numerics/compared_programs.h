// ComparedPrograms: two programs that some ranks run, each one text for all ranks or one for each.
#pragma once

#include "ccgraph/numerics/compare_sums.h"
#include "support/step_texts.h"

namespace ccgraph::numerics {

struct ComparedPrograms : testing::Test, test::StepTexts {
  SumComparison comparison;
  size_t ranks = 2;

  /// Reads the parameters of a function and its lines.
  const Graph *program(llvm::StringRef parameters, llvm::StringRef lines) {
    return read(("class M(torch.nn.Module):\n    def forward(self, " + parameters + "):\n" + lines).str());
  }
  void compare(llvm::StringRef parameters, llvm::StringRef before, llvm::StringRef after) {
    const Graph *first = program(parameters, before), *second = program(parameters, after);
    Group world{"0"}, pairs{"pair"}, others{"other"};
    for (size_t rank = 0; rank != ranks; ++rank)
      world.ranks.push_back(static_cast<int64_t>(rank));
    pairs.partition = {{0, 1}, {2, 3}};
    others.partition = {{0, 2}, {1, 3}};
    for (size_t rank = 0; rank != ranks; ++rank) {
      RankGraph a{first, {}};
      a.groups.set(world);
      a.groups.set(pairs);
      a.groups.set(others);
      comparison.before.push_back(a);
      a.graph = second;
      comparison.after.push_back(a);
    }
  }
  SumAnswer answer() {
    llvm::Expected<SumAnswer> result = compareSums(comparison);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return {};
    }
    EXPECT_EQ(result->undecided, "");
    return *result;
  }
  /// Returns "equal", or the cause of the first output of rank 0.
  std::string verdict() {
    const SumAnswer result = answer();
    if (result.outputs.empty())
      return "nothing";
    return result.outputs.front().isBitwiseEqual ? "equal" : result.outputs.front().cause;
  }
  std::string undecided() {
    llvm::Expected<SumAnswer> result = compareSums(comparison);
    return result ? result->undecided : llvm::toString(result.takeError());
  }
};

} // namespace ccgraph::numerics
