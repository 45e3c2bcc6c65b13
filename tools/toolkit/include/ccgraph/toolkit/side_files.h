// Side files: what of the files beside a graph fits nothing in it.
//
// A table of groups, durations, timed collectives or operators is looked up by name or size, so a file of another job
// changes nothing, and the result looks as if it had. Each function below compares one file with the graph and returns
// a warning where the file, or the part of it that is missed, fits nothing: the place, what the file has, what the
// graph has.
//
// Ownership: plain values. Failure: none. Cost: linear in the graph and the file.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/durations.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/machine.h"

#include <string>
#include <vector>

namespace ccgraph {

/// `table` as the file has it. A warning where it has groups that no collective names, while collectives name groups
/// that it lacks.
[[nodiscard]] std::vector<Diagnostic> unfitGroups(const GroupTable &table, const Graph &graph, llvm::StringRef file);
/// A warning where durations are of nodes that the graph does not have.
[[nodiscard]] std::vector<Diagnostic> unfitDurations(const Durations &durations, const Graph &graph);
/// A warning where no collective of the graph is of a kind, and on as many ranks and nodes, as one that was timed.
[[nodiscard]] std::vector<Diagnostic> unfitCollectives(const Machine &machine, const Graph &graph,
                                                       llvm::StringRef file);
/// `targets` as declared, "mylib.scale" or with the overload. A warning where the graph calls none of them.
[[nodiscard]] std::vector<Diagnostic> unfitOperators(llvm::ArrayRef<std::string> targets, const Graph &graph,
                                                     llvm::StringRef file);

} // namespace ccgraph
