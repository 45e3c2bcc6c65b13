#include "analysis/lifetimes.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/passes/memory.h"

namespace ccgraph {

namespace {

bool livesAlways(const Node &owner) {
  return owner.opcode() == Opcode::Placeholder || owner.opcode() == Opcode::GetAttr;
}

void hold(StorageLife &life, Node *node) {
  if (!life.always && (life.holders.empty() || life.holders.back() != node))
    life.holders.push_back(node);
}

/// Because a transfer may read or write the operands of its launch until somebody has waited for
/// it.
void holdInFlight(const ProgramFacts &facts, Node *launch, std::vector<StorageLife> &lives) {
  llvm::ArrayRef<Node *> waits = facts.waitsOf(launch);
  for (const StorageAccess &access : facts.accesses(launch)) {
    if (!has(access.access, Access::InFlightRead | Access::InFlightWrite))
      continue;
    for (Node *wait : waits)
      hold(lives[access.storage], wait);
    lives[access.storage].forGood |= waits.empty();
  }
}

} // namespace

std::vector<StorageLife> storageLives(const ProgramFacts &facts) {
  const StorageMap &storages = facts.storages();
  std::vector<StorageLife> lives(storages.numStorages());
  for (StorageId id = 0; id < storages.numStorages(); ++id) {
    const Node *owner = storages.owner(id);
    lives[id].bytes = storages.numBytes(id).value_or(0);
    lives[id].always = livesAlways(*owner);
    hold(lives[id], facts.graph().byId(owner->id()));
  }
  if (const Node *output = facts.graph().output())
    for (const StorageAccess &access : facts.accesses(output))
      lives[access.storage].always = true, lives[access.storage].holders.clear();
  for (Node *node = facts.graph().front(); node; node = node->next()) {
    for (const StorageAccess &access : facts.accesses(node))
      hold(lives[access.storage], node);
    if (facts.launches(node))
      holdInFlight(facts, node, lives);
  }
  return lives;
}

Timeline memoryTimeline(Graph &graph, const ProgramFacts &facts, std::vector<Timeline::IntervalId> *intervals) {
  Timeline timeline(graph);
  for (const StorageLife &life : storageLives(facts)) {
    Timeline::IntervalId interval = ~0U;
    if (life.always)
      timeline.addConstant(life.bytes);
    else
      interval = timeline.addInterval(life.bytes, life.holders, life.forGood);
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
    timeline.addInterval(outputBytes(*node).value_or(0), holders, holders.size() == 1);
  }
  timeline.settle();
  return timeline;
}

MemoryPeak peakMemory(const Graph &graph) {
  ProgramFacts facts(graph);
  std::vector<int64_t> starts(graph.idLimit()), ends(graph.idLimit());
  int64_t alive = 0;
  for (const StorageLife &life : storageLives(facts)) {
    if (life.always) {
      alive += life.bytes;
      continue;
    }
    auto [first, last] = std::minmax_element(life.holders.begin(), life.holders.end(),
                                             [](const Node *a, const Node *b) { return a->isBefore(b); });
    starts[(*first)->id()] += life.bytes;
    if (!life.forGood)
      ends[(*last)->id()] += life.bytes;
  }
  MemoryPeak peak;
  for (const Node *node = graph.front(); node; node = node->next()) {
    alive += starts[node->id()];
    if (!peak.at || alive > peak.bytes)
      peak = {alive, node};
    alive -= ends[node->id()];
  }
  return peak;
}

} // namespace ccgraph
