#include "ccgraph/ir/flights.h"

#include "ccgraph/ir/effects.h"

namespace ccgraph {
namespace {

/// By storage: what flies in it, in order of launch.
using InFlight = std::vector<llvm::SmallVector<Node *, 1>>;

/// Calls `visit` with each storage that a launch puts in flight.
void forEachLaunched(const Node &launch, const Effects &effects, const StorageMap &storages,
                     llvm::function_ref<void(StorageId)> visit) {
  llvm::for_each(storages.storages(&launch), visit);
  for (unsigned i = 0; i < launch.numOperands(); ++i)
    if (has(effects.operands[i], Access::InFlightWrite))
      llvm::for_each(storages.storages(launch.operand(i)), visit);
}

/// Because only these can launch or wait, no other node's effects are asked.
bool mayFly(const Node &node) {
  if (!node.op())
    return false;
  switch (node.op()->role) {
  case OpRole::Collective:
  case OpRole::Wait:
  case OpRole::ControlDeps:
    return true;
  case OpRole::Compute:
  case OpRole::GetItem:
  case OpRole::HigherOrder:
    return false;
  }
  return false;
}

llvm::ArrayRef<Node *> lookUp(const llvm::DenseMap<const Node *, llvm::SmallVector<Node *, 1>> &map, const Node *node) {
  auto found = map.find(node);
  return found == map.end() ? llvm::ArrayRef<Node *>() : llvm::ArrayRef<Node *>(found->second);
}

} // namespace

void Flights::link(Node *launch, Node *wait) {
  auto &done = completes_[wait];
  if (llvm::is_contained(done, launch))
    return;
  done.push_back(launch);
  waitsOf_[launch].push_back(wait);
}

Flights::Flights(const Graph &graph, const StorageMap &storages) {
  InFlight inFlight(storages.numStorages());
  std::vector<bool> launched(storages.numStorages());
  for (Node *node : graph) {
    if (!mayFly(*node))
      continue;
    Effects effects = effectsOf(*node);
    if (effects.launches)
      forEachLaunched(*node, effects, storages, [&](StorageId storage) {
        launched[storage] = true;
        if (!llvm::is_contained(inFlight[storage], node))
          inFlight[storage].push_back(node);
      });
    for (unsigned i = 0; effects.waits && i < node->numOperands(); ++i)
      for (StorageId storage : storages.storages(node->operand(i))) {
        if (!launched[storage])
          others_.insert(node);
        for (Node *launch : std::exchange(inFlight[storage], {}))
          link(launch, node);
      }
  }
  for (const auto &list : inFlight)
    open_.insert(list.begin(), list.end());
}

llvm::ArrayRef<Node *> Flights::completes(const Node *wait) const { return lookUp(completes_, wait); }
llvm::ArrayRef<Node *> Flights::waitsOf(const Node *launch) const { return lookUp(waitsOf_, launch); }

} // namespace ccgraph
