// Collective time: what a machine's rules make of a kind, a number of bytes and a placement.
//
// Pure functions of their arguments, in microseconds; the model around them scales and rounds. Formulas and where they
// come from: docs/cost-model.md.
//
// Ownership: none. Failure: none. Cost: a few hundred nanoseconds.
#pragma once

#include "ccgraph/passes/cost.h"

namespace ccgraph {

/// A new collective, as NCCL's model sees it.
struct CollectiveShape {
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// the larger of what a rank sends in all and what it receives in all
  int64_t bytes = 0;
  Placement placement;
};

[[nodiscard]] double collectiveMicroseconds(const Machine &machine, const CollectiveShape &shape);

} // namespace ccgraph
