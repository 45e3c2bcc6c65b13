#include "analysis/lifetimes.h"

#include "ccgraph/ir/collective.h"

namespace ccgraph {

LiveBytes liveMemory(Graph &graph, const ProgramFacts &facts, std::vector<LiveBytes::IntervalId> *intervals) {
  LiveBytes live(graph);
  live.reserve(facts.storages().numStorages());
  for (const StorageLife &life : storageLives(graph, facts.storages())) {
    LiveBytes::IntervalId interval = ~0U;
    LiveBytes::Reach reach{.fromStart = life.fromStart, .forGood = life.toEnd || life.lastWaitOnly};
    if (life.isConstant())
      live.addConstant(life.bytes);
    else
      interval = live.addInterval(life.bytes, life.holders, reach);
    if (intervals)
      intervals->push_back(interval);
  }
  live.settle();
  return live;
}

// A launch that nobody waits for stays in flight for good.
LiveBytes liveInFlight(Graph &graph, const ProgramFacts &facts) {
  LiveBytes live(graph);
  for (Node *node : graph) {
    if (!facts.launches(node))
      continue;
    llvm::SmallVector<Node *, 4> holders = {node};
    llvm::append_range(holders, facts.waitsOf(node));
    live.addInterval(outputBytes(*node).value_or(0), holders, {.forGood = holders.size() == 1});
  }
  live.settle();
  return live;
}

} // namespace ccgraph
