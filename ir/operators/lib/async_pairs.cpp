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
  case OpRole::HostCopy:
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

void AsyncPairs::launch(Node *launch, StorageId storage) {
  uint32_t &current = current_[storage];
  if (current == none || !completions_[current].waits.empty()) {
    current = static_cast<uint32_t>(completions_.size());
    completions_.emplace_back();
  }
  auto &launches = completions_[current].launches;
  if (launches.empty() || launches.back() != launch)
    launches.push_back(launch);
}

void AsyncPairs::launch(Node *node, const Effects &effects, const StorageMap &storages) {
  for (StorageId storage : storages.storages(node))
    launch(node, storage);
  for (unsigned i = 0; i < node->numOperands(); ++i)
    if (has(effects.operands[i], Access::InFlightWrite))
      for (StorageId storage : storages.storages(node->operand(i)))
        launch(node, storage);
}

void AsyncPairs::complete(Node *wait, StorageId storage) {
  if (current_[storage] == none) {
    others_.insert(wait);
    return;
  }
  Completion &completion = completions_[current_[storage]];
  if (completion.waits.empty())
    for (Node *launch : completion.launches)
      link(launch, wait);
  if (completion.waits.empty() || completion.waits.back() != wait)
    completion.waits.push_back(wait);
}

void AsyncPairs::wait(Node *node, const Effects &effects, const StorageMap &storages) {
  for (unsigned i = 0; i < node->numOperands(); ++i)
    if (has(effects.operands[i], Access::Complete))
      for (StorageId storage : storages.storages(node->operand(i)))
        complete(node, storage);
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
  for (const Completion &completion : completions_)
    if (completion.waits.empty())
      open_.insert(completion.launches.begin(), completion.launches.end());
}

llvm::ArrayRef<Node *> AsyncPairs::completes(const Node *wait) const { return lookUp(completes_, wait); }
llvm::ArrayRef<Node *> AsyncPairs::waitsOf(const Node *launch) const { return lookUp(waitsOf_, launch); }

} // namespace ccgraph
