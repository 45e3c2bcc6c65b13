// StepBounds: how fast a program can be at best, and how little memory it can need, by the models
// of predictTimeline() and ccgraph/ir/lifetimes.h.
//
// No order that the rules of legality allow is faster than `anyOrder`, and none with any merging of the collectives that
// may share a bucket is faster than `anyMerging`; memory counts for neither. For each stream it is the least end of a
// machine that runs its jobs one at a time between their heads and tails (J. Carlier, The one-machine sequencing problem,
// European Journal of Operational Research 11, 1982), with heads and tails that count all computation that must stand
// before and after, since computation is one stream too. The result may be less than the best there is, never more;
// but for `anyMerging` where the rate of a transfer is better between two powers of two than at both.
//
// Ownership: plain values. Failure: none. Cost: linear in nodes and edges.
#pragma once

#include "ccgraph/passes/analyses.h"
#include "ccgraph/passes/cost.h"

namespace ccgraph {

/// Picoseconds, and whose stream holds the program so long: the name of a group; empty: computation.
struct StepBound {
  int64_t picoseconds = 0;
  std::string group;
};

/// Bytes that any order needs while the node `at` runs: what must be made before it and is still read after it, or by it.
struct MemoryFloor {
  int64_t bytes = 0;
  std::string at;
};

struct StepBounds {
  StepBound anyOrder;
  StepBound anyMerging;
  /// the largest of some nodes, the one where the program as it stands needs most among them
  MemoryFloor memory;
};

/// What a pass is told too (PassContext).
struct BoundRules {
  bool spmd = true;
  bool bitwise = false;
};

[[nodiscard]] StepBounds predictBounds(Graph &graph, Analyses &analyses, const CostModel &costs,
                                       const BoundRules &rules = {});

} // namespace ccgraph
