// Seeded inputs: values for a program's inputs where the user has none.
//
// A value depends on nothing but the seed, the rank, the placeholder's name and its type, so that
// a graph before and after a rewrite get the same.
//   - Floats are near normal (mean 0, deviation 1, within 3.5), and positive where a reader
//     takes a root or a logarithm.
//   - Integers lie within what every reader can index (embedding, index, gather, scatter,
//     nll_loss), found through views, copies and collectives; in 0..1 where an index is computed
//     from them; else in -8..7.
//   - Symbols take their hint, or small distinct numbers; sizes follow from them.
// What else a graph may demand of its inputs (splits that add up, runtime assertions) cannot be
// derived: such graphs need recorded values.
//
// A plan gets what the graph that it was lowered from gets, as far as steps and windows tell what nodes told: symbols take
// the values that its layout is for. It may differ where a buffer is written in place between two readers that
// demand different things, since a plan knows of no names for one buffer before and after.
//
// Ownership: the caller's. Failure: none; a placeholder without a type gets no value, nor does one
// for which the memory limit leaves no room: the run then says so. Cost: linear in the elements and
// edges.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/plan.h"
#include "ccgraph/runtime/run_result.h"

namespace ccgraph::runtime {

/// `in.<placeholder>` and `attr.<target>` for every node with a known type, together at most
/// `mostBytes`.
[[nodiscard]] TensorMap seededInputs(const Graph &graph, int64_t rank, uint64_t seed,
                                     int64_t mostBytes = defaultMemoryLimit);
/// The same names for every input of a plan.
[[nodiscard]] TensorMap seededInputs(const Plan &plan, int64_t rank, uint64_t seed,
                                     int64_t mostBytes = defaultMemoryLimit);

} // namespace ccgraph::runtime
