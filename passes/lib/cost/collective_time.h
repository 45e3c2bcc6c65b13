// Collective time: computes the time of a kind, a number of bytes and a placement from a machine's rules.
//
// Pure functions of their arguments, in microseconds; the model around them scales and rounds. Formulas and their
// sources: docs/cost-model.md.
//
// Ownership: none. Failure: none. Cost: a few hundred nanoseconds.
#pragma once

#include "ccgraph/passes/cost.h"

namespace ccgraph {

/// A new collective, in the terms of NCCL's model.
struct CollectiveShape {
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// the larger of the total that a rank sends and the total that it receives
  int64_t bytes = 0;
  Placement placement;
};

/// Returns the number of rounds in which every rank sends and receives a share, by the linear rules.
[[nodiscard]] double linearSteps(CollectiveKind kind, int64_t ranks);

[[nodiscard]] double collectiveMicroseconds(const Machine &machine, const CollectiveShape &shape);

/// Returns the bytes, ascending, where the formula changes (CostModel::collectivePieces()). `bytes` of the shape is
/// ignored.
[[nodiscard]] std::vector<int64_t> collectiveTimePieces(const Machine &machine, const CollectiveShape &shape);

} // namespace ccgraph
