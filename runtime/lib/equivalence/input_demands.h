// Input demands: what the readers of an input ask of its values.
//
// Ownership: holds node ids only; the graph must outlive it unedited. Cost: one pass over the
// nodes per demand.
#pragma once

#include "ccgraph/ir/graph.h"

#include <optional>

namespace ccgraph::runtime {

struct InputDemand {
  /// an index: values 0 .. below - 1
  std::optional<int64_t> below;
  /// some index is computed from it
  bool feedsIndex = false;
  /// a root or logarithm is taken
  bool positive = false;
};

/// By node id: what later nodes demand of each node's values. `size` gives a dimension's number,
/// empty where unknown.
using DimNumber = llvm::function_ref<std::optional<int64_t>(const Dim &)>;
[[nodiscard]] std::vector<InputDemand> inputDemands(const Graph &graph, DimNumber size);

} // namespace ccgraph::runtime
