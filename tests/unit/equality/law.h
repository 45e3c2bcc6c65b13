// A law of the evaluation: two texts of one value, which are equal or not. Each runs on one rank.
#pragma once

#include "ccgraph/equality/same_step.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/context.h"

#include <gtest/gtest.h>

#include <string>

namespace ccgraph::equality {

struct Law {
  const char *name;
  /// placeholders, with their types
  const char *inputs;
  /// statements that end in a value named `y`
  std::string first;
  std::string second;
  bool isEqual;
};

inline std::string textOfLaw(const char *inputs, llvm::StringRef body) {
  std::string text = std::string("class f(torch.nn.Module):\n    def forward(self, ") + inputs + "):\n";
  for (llvm::StringRef line : llvm::split(body, '\n'))
    if (!line.trim().empty())
      text += "        " + line.trim().str() + "\n";
  return text + "        return (y,)\n";
}

inline void checkLaw(const Law &law) {
  Context context;
  std::vector<std::unique_ptr<Graph>> graphs;
  for (const std::string *body : {&law.first, &law.second}) {
    std::string text = textOfLaw(law.inputs, *body);
    llvm::Expected<GraphList> list = readFxText(context, {"law.py", text});
    ASSERT_TRUE(static_cast<bool>(list)) << llvm::toString(list.takeError()) << text;
    graphs.push_back(std::move(list->front()));
  }
  StepComparison comparison;
  comparison.single = graphs[0].get();
  comparison.ranks = {{graphs[1].get(), {}}};
  comparison.placements.mesh = {{"one", 1}};
  for (const Node *node : *graphs[0])
    if (node->opcode() == Opcode::Placeholder) {
      size_t position = comparison.placements.inputs.size();
      comparison.placements.inputs.push_back({position, position, "input", {AxisPlacement()}, {}, {}});
    }
  comparison.placements.outputs = {{0, 0, "y", {AxisPlacement()}, {}, {}}};
  llvm::Expected<StepAnswer> answer = compareSteps(comparison);
  ASSERT_TRUE(static_cast<bool>(answer)) << llvm::toString(answer.takeError());
  ASSERT_TRUE(answer->equal) << answer->assumed.front();
  EXPECT_EQ(*answer->equal, law.isEqual);
}

} // namespace ccgraph::equality
