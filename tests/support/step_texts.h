// StepTexts: graphs that a test writes as FX text.
//
// Ownership: owns the graphs and their context. Failure: a text that cannot be read fails the test, and gives null.
#pragma once

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/context.h"

#include <gtest/gtest.h>

namespace ccgraph::test {

/// Groups of a rank: "0" holds all of them.
inline GroupTable worldOf(int64_t ranks) {
  Group world;
  world.name = "0";
  for (int64_t rank = 0; rank != ranks; ++rank)
    world.ranks.push_back(rank);
  GroupTable groups;
  groups.set(world);
  return groups;
}
inline GroupTable worldOfTwo() { return worldOf(2); }

struct StepTexts {
  Context context;
  std::vector<std::unique_ptr<Graph>> graphs;

  const Graph *read(llvm::StringRef text) {
    llvm::Expected<GraphList> list = readFxText(context, {"step.py", text});
    if (!list) {
      ADD_FAILURE() << llvm::toString(list.takeError());
      return nullptr;
    }
    graphs.push_back(std::move(list->front()));
    return graphs.back().get();
  }
};

} // namespace ccgraph::test
