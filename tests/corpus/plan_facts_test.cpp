// Tests on every captured graph that a plan and its graph have the same facts about inputs and outputs: seeded inputs
// up to 1 MiB, and outputs that do not depend on an input.
#include "support/corpus.h"

#include "ccgraph/passes/lower.h"
#include "ccgraph/runtime/fixed_outputs.h"
#include "ccgraph/runtime/seeded_inputs.h"
#include "ccgraph/toolkit/graph_files.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// Returns the first input that differs; "" if there is none.
std::string differenceOf(const TensorMap &expected, const TensorMap &got) {
  for (const auto &[name, tensor] : expected)
    if (auto found = got.find(name);
        found == got.end() || found->second.sizes != tensor.sizes || found->second.data != tensor.data)
      return name;
  return expected.size() == got.size() ? "" : "more inputs";
}

TEST(PlanFacts, AreThoseOfTheGraph) {
  constexpr int64_t room = int64_t{1} << 20;
  size_t compared = 0;
  for (const CapturedGraph &captured : capturedGraphs()) {
    Context context;
    llvm::Expected<std::unique_ptr<Graph>> graph = loadGraph(context, captured.readable);
    ASSERT_TRUE(static_cast<bool>(graph)) << llvm::toString(graph.takeError());
    if (!captured.facts.empty())
      llvm::cantFail(addGroups(**graph, captured.facts));
    LoweringOptions options;
    if (llvm::Expected<ObjectMeanings> objects = loadObjects(captured.facts))
      options.objects = std::move(*objects);
    else
      llvm::consumeError(objects.takeError());
    llvm::Expected<std::unique_ptr<Plan>> plan = lowerGraph(**graph, options);
    if (!plan) {
      llvm::consumeError(plan.takeError());
      continue;
    }
    ++compared;
    EXPECT_EQ(differenceOf(runtime::seededInputs(**graph, 1, 7, room), runtime::seededInputs(**plan, 1, 7, room)), "")
        << captured.name << " " << captured.tag;
    EXPECT_EQ(runtime::fixedOutputs(**graph), runtime::fixedOutputs(**plan)) << captured.name << " " << captured.tag;
  }
  EXPECT_GT(compared, 300U);
}

} // namespace
} // namespace ccgraph::test
