#include "analysis/lifetimes.h"

namespace ccgraph {

LiveBytes liveMemory(Graph &graph, const ProgramFacts &facts) {
  return liveMemory(graph, storageLives(graph, facts.storages(), facts.asyncPairs()));
}

LiveBytes liveMemory(Graph &graph, const StorageLives &lives) {
  constexpr LiveBytes::IntervalId none = ~0U;
  LiveBytes live(graph);
  live.reserve(lives.storages.size());
  std::vector<LiveBytes::IntervalId> intervals(lives.storages.size(), none);
  for (size_t id = 0; id < lives.storages.size(); ++id) {
    const StorageLife &life = lives.storages[id];
    LiveBytes::Reach reach{.fromStart = life.fromStart, .forGood = life.toEnd || life.lastWaitOnly};
    if (life.isConstant())
      live.addConstant(life.bytes);
    else
      intervals[id] = live.addInterval(life.bytes, life.holders, reach);
  }
  for (const SharedHold &shared : lives.shared) {
    std::vector<LiveBytes::IntervalId> held;
    for (StorageId id : shared.held)
      if (intervals[id] != none)
        held.push_back(intervals[id]);
    live.extend(live.addShare(), held, shared.holders);
  }
  live.settle();
  return live;
}

} // namespace ccgraph
