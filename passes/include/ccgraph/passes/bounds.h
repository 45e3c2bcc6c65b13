// StepBounds: lower bounds of a graph's step time and memory, by the models of predictTimeline() and
// ccgraph/ir/lifetimes.h.
//
// No order that the legality rules allow is faster than `anyOrder`. No such order with any merging of collectives that
// may share a bucket is faster than `anyMerging`. Both ignore memory; `within` counts it. For each stream, the bound is
// the earliest end of a machine that runs its jobs one at a time between their heads and tails (J. Carlier, The one-
// machine sequencing problem, European Journal of Operational Research 11, 1982). Heads and tails include all
// computation that must run before and after the job, since computation is a single stream too. Within a memory budget,
// values that are live together in every order force collectives to begin later or to complete earlier. The bound may
// be below the optimum, never above it.
//
// Ownership: plain values. Failure: none. Cost: linear in nodes and edges; within a budget a few times that.
#pragma once

#include "ccgraph/passes/analyses.h"
#include "ccgraph/passes/cost.h"

#include <optional>
#include <string>

namespace ccgraph {

class PassContext;

/// A lower bound in picoseconds and the limiting stream: the name of a group, or empty for computation.
struct StepBound {
  int64_t picoseconds = 0;
  std::string group;
};

/// The bytes that any order needs while the node `at` runs: tensors that are produced before it and read by it or after
/// it.
struct MemoryFloor {
  int64_t bytes = 0;
  std::string at;
};

/// Lower bounds of the orders whose peak memory is at most `bytes`.
struct BoundsWithin {
  int64_t bytes = 0;
  StepBound anyOrder;
  StepBound anyMerging;
};

struct StepBounds {
  StepBound anyOrder;
  StepBound anyMerging;
  /// empty: without a budget, or if no order fits it
  std::optional<BoundsWithin> within = std::nullopt;
  /// the largest floor of the nodes that were examined: those where the graph needs most memory in its present order
  MemoryFloor memory = {};
  /// Of all programs that the passes which choose nodes (Pass::choosesNodes()) may make of the graph: the lowest result
  /// of predictChangedBound() before one of them. Empty: the pipeline has no such pass.
  std::optional<StepBound> anyChange = std::nullopt;
};

/// Rules that a pass receives too (PassContext).
struct BoundRules {
  bool spmd = true;
  bool bitwise = false;
  /// bytes, for StepBounds::within
  std::optional<int64_t> memoryBudget = std::nullopt;
};

[[nodiscard]] StepBounds predictBounds(Graph &graph, Analyses &analyses, const CostModel &costs,
                                       const BoundRules &rules = {});

/// Returns a lower bound of the step time of every program that the passes which choose nodes may make of the graph, in
/// any order with any merging and with any memory: keep-gathered, recompute-values and chunk-collectives. Each repeated
/// collective runs once, and each region that may be cut runs in the best pieces, however small they are. Cost: that of
/// predictBounds(), and of the analyses of these passes.
[[nodiscard]] StepBound predictChangedBound(Graph &graph, PassContext &context);

} // namespace ccgraph
