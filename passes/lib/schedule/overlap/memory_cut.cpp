#include "schedule/overlap/memory_cut.h"

#include "schedule/overlap/max_flow.h"

#include "llvm/ADT/STLExtras.h"
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
  MemorySides sides(int64_t budget, size_t work);

private:
  void findSides();
  [[nodiscard]] bool isFree(uint32_t step) const {
    return step != step_ && node_[step] != source && node_[step] != sink;
  }
  /// Returns whether the storage is live at the step in any order; empty if that depends on the order.
  [[nodiscard]] std::optional<bool> isAlive(uint32_t storage) const;
  void addOrder(MaxFlow &network) const;
  uint32_t addStorage(MaxFlow &network, uint32_t storage, uint32_t node) const;
  MaxFlow makeNetwork();
  [[nodiscard]] Side sideOf(uint32_t step) const;
  void force(MemorySides &sides, MaxFlow &network, int64_t spare, size_t work) const;
  [[nodiscard]] bool goesOn(uint32_t storage) const;

  const Problem &problem_;
  uint32_t step_;
  /// by step: its number in the network
  std::vector<uint32_t> node_;
  uint32_t nodes_ = 2;
  /// by storage: steps, in program order
  NumberLists holders_;
  /// storages whose life depends on the order, and the edge of each one's bytes
  llvm::SmallVector<uint32_t, 0> open_, edges_;
  /// of the other storages that are live
  int64_t certain_ = 0;
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
uint32_t Cutter::addStorage(MaxFlow &network, uint32_t storage, uint32_t node) const {
  const Storage &it = problem_.storages[storage];
  llvm::ArrayRef<uint32_t> holders = holders_[storage];
  const uint32_t edge = network.connect(it.fromStart ? source : node_[holders.front()], node, it.bytes);
  if (it.toEnd)
    network.connect(node, sink, unlimited);
  for (uint32_t holder : holders)
    if (node_[holder] != source)
      network.connect(node, node_[holder], unlimited);
  return edge;
}

MaxFlow Cutter::makeNetwork() {
  for (uint32_t storage = 0; storage < problem_.storages.size(); ++storage) {
    std::optional<bool> alive = isAlive(storage);
    if (!alive)
      open_.push_back(storage);
    else if (*alive)
      certain_ += problem_.storages[storage].bytes;
  }
  MaxFlow network(nodes_ + static_cast<uint32_t>(open_.size()));
  addOrder(network);
  for (uint32_t i = 0; i < open_.size(); ++i)
    edges_.push_back(addStorage(network, open_[i], nodes_ + i));
  return network;
}

MemoryCut Cutter::run() {
  MaxFlow network = makeNetwork();
  MemoryCut cut{certain_ + network.run(source, sink), {}};
  for (uint32_t step = 0; step < node_.size(); ++step)
    cut.before.push_back(step != step_ && network.onSourceSide(node_[step]));
  return cut;
}

Side Cutter::sideOf(uint32_t step) const {
  return isFree(step) ? Side::Either : node_[step] == source && step != step_ ? Side::Before : Side::After;
}

/// Returns true if some holder comes after in every order.
bool Cutter::goesOn(uint32_t storage) const {
  return problem_.storages[storage].toEnd ||
         llvm::any_of(holders_[storage], [&](uint32_t holder) { return node_[holder] == sink; });
}

/// Decides the steps that one side costs more than `spare` bytes. A step on the source's side adds what can still flow
/// from it to the sink; one on the sink's side, what can still flow to it from the source.
void Cutter::force(MemorySides &sides, MaxFlow &network, int64_t spare, size_t work) const {
  const std::vector<bool> toSink = network.reaching(sink);
  for (uint32_t step = 0; step < node_.size(); ++step) {
    if (!isFree(step))
      continue;
    const uint32_t node = node_[step];
    if (toSink[node] && (spare == 0 || network.admits({node, sink, spare}, work)))
      sides.side[step] = Side::After;
    else if (network.onSourceSide(node) && (spare == 0 || network.admits({source, node, spare}, work)))
      sides.side[step] = Side::Before;
    else
      continue;
    sides.forced.push_back(step);
  }
}

MemorySides Cutter::sides(int64_t budget, size_t work) {
  MaxFlow network = makeNetwork();
  MemorySides sides{certain_ + network.run(source, sink),
                    {},
                    {},
                    std::vector<int64_t>(problem_.storages.size()),
                    std::vector<int64_t>(problem_.storages.size())};
  for (uint32_t step = 0; step < node_.size(); ++step)
    sides.side.push_back(sideOf(step));
  for (uint32_t i = 0; i < open_.size(); ++i) {
    const uint32_t storage = open_[i];
    const bool begun = problem_.storages[storage].fromStart || node_[holders_[storage].front()] == source;
    if (begun)
      sides.ifKept[storage] = network.left(edges_[i]);
    else if (goesOn(storage))
      sides.ifBegun[storage] = network.left(edges_[i]);
  }
  if (sides.bytes <= budget)
    force(sides, network, budget - sides.bytes, work);
  return sides;
}

} // namespace

MemoryCut memoryCut(const Problem &problem, uint32_t step) { return Cutter(problem, step).run(); }
MemorySides memorySides(const Problem &problem, uint32_t step, int64_t budget, size_t work) {
  return Cutter(problem, step).sides(budget, work);
}

} // namespace ccgraph::overlap
