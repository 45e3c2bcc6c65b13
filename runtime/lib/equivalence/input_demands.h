// Input demands: what the readers of an input ask of its values, so that seeded inputs can be such
// that the program runs.
//
// A demand travels from a reader back to its operands through views, copies and collectives, since
// these pass values on. It is a guess at what is needed, never a promise: where two readers ask for
// different things, the tighter bound holds.
//
// Ownership: holds node ids only; the graph must outlive it unedited. Failure: none; what cannot be
// told is no demand. Cost: one pass over the nodes per demand.
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
