// locate: where a difference between the two steps arises.
//
// The value that the ranks hold at one node is put in correspondence with the values of the single graph: equal on all
// ranks of an axis, shards that are joined along a dimension, or parts that are added, times a product of axis sizes.
// Shapes do not count, so views correspond too. Walking back from a wrong output, a value that corresponds to nothing
// and whose operands all correspond is where the difference arises. A value that corresponds only as a partial sum or
// times a factor, and that a wrong value is computed from, lacks a reduction or a scale; the walk continues to the node
// that made it so.
//
// The maximum that a vocabulary-parallel loss subtracts has no counterpart; the values that are computed from it are
// compared with those that the same operators compute of whole tensors.
//
// A node at which a factor or a reduction makes wrong outputs right comes first (repairs.h).
//
// Ownership: plain values. Failure: none; an empty list if nothing was found. Cost: for each node of the walk, one pass
// over its values for each candidate placement, and the evaluations of repairs.h.
#pragma once

#include "trial.h"

namespace ccgraph::equality {

[[nodiscard]] std::vector<StepPlace> locate(const StepComparison &comparison, Trial &trial);

} // namespace ccgraph::equality
