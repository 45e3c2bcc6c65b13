#include "schedule/overlap/memory_cut.h"

#include "schedule/overlap/max_flow.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace ccgraph::overlap {

namespace {

/// Nodes of the network that are no steps.
constexpr uint32_t source = 0, sink = 1;

class Cutter {
public:
  Cutter(const Problem &problem, uint32_t step)
      : problem_(problem), step_(step), node_(problem.steps.size()),
        holders_(problem.holds.inverse(problem.storages.size())) {
    findSides();
  }
  MemoryCut run();

private:
  void findSides();
  [[nodiscard]] bool isFree(uint32_t step) const {
    return step != step_ && node_[step] != source && node_[step] != sink;
  }
  /// Returns whether the storage is live at the step in any order; empty if that depends on the order.
  [[nodiscard]] std::optional<bool> isAlive(uint32_t storage) const;
  void addOrder(MaxFlow &network) const;
  void addStorage(MaxFlow &network, uint32_t storage, uint32_t node) const;

  const Problem &problem_;
  uint32_t step_;
  /// by step: its number in the network
  std::vector<uint32_t> node_;
  uint32_t nodes_ = 2;
  /// by storage: steps, in program order
  NumberLists holders_;
};

void Cutter::findSides() {
  size_t steps = node_.size();
  std::vector<bool> needed(steps), needing(steps);
  needed[step_] = needing[step_] = true;
  for (uint32_t other = step_ + 1; other-- > 0;)
    if (needed[other])
      for (uint32_t before : problem_.before[other])
        needed[before] = true;
  for (auto other = step_ + 1; other < steps; ++other)
    for (uint32_t before : problem_.before[other])
      needing[other] = needing[other] || needing[before];
  // A program begins with its inputs and ends with its outputs.
  for (uint32_t other = 0; other < steps; ++other)
    needed[other] = needed[other] || problem_.steps[other].input || step_ + 1 == steps;
  needing.back() = true;
  for (uint32_t other = 0; other < steps; ++other)
    node_[other] = needed[other] ? source : needing[other] ? sink : nodes_++;
}

std::optional<bool> Cutter::isAlive(uint32_t storage) const {
  const Storage &it = problem_.storages[storage];
  bool begun = it.fromStart, goesOn = it.toEnd, depends = false;
  for (uint32_t holder : holders_[storage]) {
    if (holder == step_)
      return true;
    begun |= node_[holder] == source;
    goesOn |= node_[holder] == sink;
    depends |= isFree(holder);
  }
  if ((begun && goesOn) || !depends)
    return begun && goesOn;
  return std::nullopt;
}

void Cutter::addOrder(MaxFlow &network) const {
  for (uint32_t step = 0; step < node_.size(); ++step)
    for (uint32_t before : problem_.before[step])
      if (isFree(step) && node_[before] != source)
        network.connect(node_[step], node_[before], unlimited);
}

/// The storage costs its bytes if its first holder (or the start) comes before, and another holder after.
void Cutter::addStorage(MaxFlow &network, uint32_t storage, uint32_t node) const {
  const Storage &it = problem_.storages[storage];
  llvm::ArrayRef<uint32_t> holders = holders_[storage];
  network.connect(it.fromStart ? source : node_[holders.front()], node, it.bytes);
  if (it.toEnd)
    network.connect(node, sink, unlimited);
  for (uint32_t holder : holders)
    if (node_[holder] != source)
      network.connect(node, node_[holder], unlimited);
}

MemoryCut Cutter::run() {
  MemoryCut cut;
  llvm::SmallVector<uint32_t, 0> open;
  for (uint32_t storage = 0; storage < problem_.storages.size(); ++storage) {
    std::optional<bool> alive = isAlive(storage);
    if (!alive)
      open.push_back(storage);
    else if (*alive)
      cut.bytes += problem_.storages[storage].bytes;
  }
  MaxFlow network(nodes_ + static_cast<uint32_t>(open.size()));
  addOrder(network);
  for (uint32_t i = 0; i < open.size(); ++i)
    addStorage(network, open[i], nodes_ + i);
  cut.bytes += network.run(source, sink);
  for (uint32_t step = 0; step < node_.size(); ++step)
    cut.before.push_back(step != step_ && network.onSourceSide(node_[step]));
  return cut;
}

} // namespace

MemoryCut memoryCut(const Problem &problem, uint32_t step) { return Cutter(problem, step).run(); }

} // namespace ccgraph::overlap
