// Layers: which collectives belong to one layer of a model.
//
// A model repeats its layers, so its collectives repeat too: what stands next to each other in the order of need, one period of
// the repeated part, is a layer. "One bucket a layer" is the plan that people write by hand, and a start for the search.
//
//   gathers by bytes   64 | 8 8 2 | 8 8 2 | 8 8 2 | 64        period 3: five layers, the first and the last of one gather
//
// Ownership: plain values. Failure: none; what does not repeat is a layer of its own. Cost: launches times the longest period
// that is looked for.
#pragma once

#include "schedule/overlap/tasks.h"

namespace ccgraph::overlap {

class Layers {
public:
  explicit Layers(const Tasks &tasks);
  /// None for a task that launches nothing.
  [[nodiscard]] uint32_t of(uint32_t task) const { return layerOf_[task]; }
  /// Launches of the layer.
  [[nodiscard]] uint32_t size(uint32_t layer) const { return sizes_[layer]; }
  /// The task from which on the layer may be fetched: the first reader of the layer before it; 0 where there is none before.
  [[nodiscard]] uint32_t fetchedFrom(uint32_t layer) const { return fetchedFrom_[layer]; }

private:
  void divide(const Tasks &tasks, llvm::ArrayRef<uint32_t> launches);
  void add(llvm::ArrayRef<uint32_t> launches, uint32_t fetchedFrom);

  /// by task
  std::vector<uint32_t> layerOf_;
  /// by layer
  std::vector<uint32_t> sizes_, fetchedFrom_;
};

/// The least period with which most of the values repeat; 0 where there is none.
[[nodiscard]] size_t periodOf(llvm::ArrayRef<int64_t> values);

} // namespace ccgraph::overlap
