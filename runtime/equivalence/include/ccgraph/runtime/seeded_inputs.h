// Seeded inputs: generated values for a graph's inputs.
//
// A value depends only on the seed, the rank, the placeholder's name and its type, so a graph has the same inputs
// before and after a rewrite.
//   - Floats are near normal (mean 0, deviation 1, within 3.5), and positive where a reader
//     takes a root or a logarithm.
//   - Integers lie within what every reader can index (embedding, index, gather, scatter,
//     nll_loss), found through views, copies and collectives; in 0..1 where an index is computed
//     from them; else in -8..7.
//   - Symbols take their hint, or small distinct numbers; sizes follow from them.
// Other conditions on inputs (splits that add up, runtime assertions) cannot be derived: such graphs need recorded
// values.
//
// A plan gets the inputs of the graph that it was lowered from, as far as steps and windows hold the same facts;
// symbols take the values of its layout. They may differ where a buffer is written in place between two readers with
// different conditions, since a plan does not distinguish the buffer before and after the write.
//
// Ownership: the caller's. Failure: none. A placeholder without a type, or beyond the memory limit, gets no value; the
// run then reports it. Cost: linear in the elements and edges.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/plan.h"
#include "ccgraph/runtime/run_result.h"

namespace ccgraph::runtime {

/// Returns `in.<placeholder>` and `attr.<target>` for every node with a known type, together at most `mostBytes`.
[[nodiscard]] TensorMap seededInputs(const Graph &graph, int64_t rank, uint64_t seed,
                                     int64_t mostBytes = defaultMemoryLimit);
/// Returns the same names for every input of a plan.
[[nodiscard]] TensorMap seededInputs(const Plan &plan, int64_t rank, uint64_t seed,
                                     int64_t mostBytes = defaultMemoryLimit);

} // namespace ccgraph::runtime
