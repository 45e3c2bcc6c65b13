#include "ccgraph/ir/async_pairs.h"

#include "ccgraph/ir/effects.h"

namespace ccgraph {
namespace {

/// Returns true for the nodes that can launch or wait; the effects of all other nodes are not needed.
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

void AsyncPairs::link(Node *launch, Node *wait) {
  auto &done = completes_[wait];
  if (llvm::is_contained(done, launch))
    return;
  done.push_back(launch);
  waitsOf_[launch].push_back(wait);
}

void AsyncPairs::fly(Node *launch, StorageId storage) {
  uint32_t &current = current_[storage];
  if (current == none || !landings_[current].waits.empty()) {
    current = static_cast<uint32_t>(landings_.size());
    landings_.emplace_back();
  }
  auto &launches = landings_[current].launches;
  if (launches.empty() || launches.back() != launch)
    launches.push_back(launch);
}

void AsyncPairs::launch(Node *node, const Effects &effects, const StorageMap &storages) {
  for (StorageId storage : storages.storages(node))
    fly(node, storage);
  for (unsigned i = 0; i < node->numOperands(); ++i)
    if (has(effects.operands[i], Access::InFlightWrite))
      for (StorageId storage : storages.storages(node->operand(i)))
        fly(node, storage);
}

void AsyncPairs::land(Node *wait, StorageId storage) {
  if (current_[storage] == none) {
    others_.insert(wait);
    return;
  }
  Landing &completion = landings_[current_[storage]];
  if (completion.waits.empty())
    for (Node *launch : completion.launches)
      link(launch, wait);
  if (completion.waits.empty() || completion.waits.back() != wait)
    completion.waits.push_back(wait);
}

void AsyncPairs::wait(Node *node, const Effects &effects, const StorageMap &storages) {
  for (unsigned i = 0; i < node->numOperands(); ++i)
    if (has(effects.operands[i], Access::Land))
      for (StorageId storage : storages.storages(node->operand(i)))
        land(node, storage);
}

AsyncPairs::AsyncPairs(const Graph &graph, const StorageMap &storages) : current_(storages.numStorages(), none) {
  for (Node *node : graph) {
    if (!mayFly(*node))
      continue;
    Effects effects = effectsOf(*node);
    if (effects.waits)
      wait(node, effects, storages);
    if (effects.launches)
      launch(node, effects, storages);
  }
  current_ = {};
  for (const Landing &completion : landings_)
    if (completion.waits.empty())
      open_.insert(completion.launches.begin(), completion.launches.end());
}

llvm::ArrayRef<Node *> AsyncPairs::completes(const Node *wait) const { return lookUp(completes_, wait); }
llvm::ArrayRef<Node *> AsyncPairs::waitsOf(const Node *launch) const { return lookUp(waitsOf_, launch); }

} // namespace ccgraph
