// Input demands: what the readers of an input ask of its values, so that seeded inputs can be such
// that the program runs.
//
// A demand travels from a reader back to its operands through views, copies and collectives, since
// these pass values on. It is a guess at what is needed, never a promise: where two readers ask for
// different things, the tighter bound holds.
//
// Of a graph, each node has demands of its own. A plan has no names for views and for what is written
// in place: there each buffer has one demand, that of all who read any part of it.
//
// Ownership: holds ids only; the program must outlive it unedited. Failure: none; what cannot be
// told is no demand. Cost: one pass over the nodes, or steps.
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
/// By node id: what later nodes demand of each node's values.
[[nodiscard]] std::vector<InputDemand> inputDemands(const Graph &graph, DimNumber size);
/// By buffer: what the steps demand of its values.
[[nodiscard]] std::vector<InputDemand> inputDemands(const Plan &plan, DimNumber size);

} // namespace ccgraph::runtime
