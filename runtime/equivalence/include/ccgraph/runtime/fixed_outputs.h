// Fixed outputs: those of a program that no input reaches.
//
// An output that is the same number everywhere mostly proves nothing, since the inputs may have been
// such that every program gives it. But where no input or attribute reaches it (a buffer of zeros), it
// is this number in every run, and one run is proof.
//
// What reaches what is followed through operands that are read and storages that are written, in
// program order; a node that reads sizes alone hands nothing on. A plan is followed through its buffers and numbers, in its
// order of issue.
//
// Ownership: names only. Failure: none; what is not known is taken to be reached. Cost: that of a
// StorageMap, linear in the nodes and edges, or in the
// steps.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/plan.h"

#include <set>
#include <string>

namespace ccgraph::runtime {

/// `out.<index>` of each such output, counted as a run counts them.
[[nodiscard]] std::set<std::string> fixedOutputs(const Graph &graph);
[[nodiscard]] std::set<std::string> fixedOutputs(const Plan &plan);

} // namespace ccgraph::runtime
