// Fixed outputs: the outputs of a graph that no input reaches.
//
// An output that repeats one number is mostly weak evidence, since the inputs may be such that every graph yields it.
// But where no input or attribute reaches it (a buffer of zeros), it is this number in every run, and one run is proof.
//
// Dependences are followed through operands that are read and storages that are written, in program order; a node that
// reads only sizes passes nothing on. A plan is followed through its buffers and numbers, in its order of issue.
//
// Ownership: names only. Failure: none; an unknown dependence counts as reached. Cost: that of a StorageMap, linear in
// the nodes and edges, or in the steps.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/plan.h"

#include <set>
#include <string>

namespace ccgraph::runtime {

/// Returns `out.<index>` of each such output, counted as a run counts them.
[[nodiscard]] std::set<std::string> fixedOutputs(const Graph &graph);
[[nodiscard]] std::set<std::string> fixedOutputs(const Plan &plan);

} // namespace ccgraph::runtime
