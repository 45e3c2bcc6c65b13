// Input demands: conditions of readers on the values of an input, so that the graph can run with seeded inputs.
//
// A demand propagates from a reader back to its operands through views, copies and collectives, since these pass values
// on. It is a guess, not a guarantee: where two readers have different conditions, the tighter bound applies.
//
// In a graph, each node has demands of its own. A plan does not name views and values written in place, so each buffer
// has one demand, that of all readers of any part of it.
//
// Ownership: holds ids only; the graph must outlive it unedited. Failure: none; an unknown condition is no demand.
// Cost: one pass over the nodes, or steps.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/plan.h"

#include <optional>

namespace ccgraph::runtime {

struct InputDemand {
  /// an index: values 0 .. below - 1
  std::optional<int64_t> below;
  /// some index is computed from it
  bool feedsIndex = false;
  /// a root or logarithm is taken
  bool positive = false;
  /// -x is to be positive, or exp(x) is to be below 1
  bool negative = false;
  /// 1 - x is to be positive
  bool belowOne = false;
};

/// A dimension's number, empty where unknown.
using DimNumber = llvm::function_ref<std::optional<int64_t>(const Dim &)>;
/// Returns by node id the demands of later nodes on each node's values.
[[nodiscard]] std::vector<InputDemand> inputDemands(const Graph &graph, DimNumber size);
/// Returns by buffer the demands of the steps on its values.
[[nodiscard]] std::vector<InputDemand> inputDemands(const Plan &plan, DimNumber size);

} // namespace ccgraph::runtime
