#include "analysis/lifetimes.h"

#include "ccgraph/ir/collective.h"

namespace ccgraph {

Timeline memoryTimeline(Graph &graph, const ProgramFacts &facts, std::vector<Timeline::IntervalId> *intervals) {
  Timeline timeline(graph);
  timeline.reserve(facts.storages().numStorages());
  for (const StorageLife &life : storageLives(graph, facts.storages())) {
    Timeline::IntervalId interval = ~0U;
    Timeline::Reach reach{.fromStart = life.fromStart, .forGood = life.toEnd || life.lastWaitOnly};
    if (life.isConstant())
      timeline.addConstant(life.bytes);
    else
      interval = timeline.addInterval(life.bytes, life.holders, reach);
    if (intervals)
      intervals->push_back(interval);
  }
  timeline.settle();
  return timeline;
}

Timeline inFlightTimeline(Graph &graph, const ProgramFacts &facts) {
  Timeline timeline(graph);
  for (Node *node = graph.front(); node; node = node->next()) {
    if (!facts.launches(node))
      continue;
    llvm::SmallVector<Node *, 4> holders = {node};
    llvm::append_range(holders, facts.waitsOf(node));
    timeline.addInterval(outputBytes(*node).value_or(0), holders, {.forGood = holders.size() == 1});
  }
  timeline.settle();
  return timeline;
}

} // namespace ccgraph
