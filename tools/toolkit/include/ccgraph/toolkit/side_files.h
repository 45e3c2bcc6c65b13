// Checks that the files that come with a graph match it.
//
// Tables of groups, durations, timed collectives and operators are looked up by name or size. A file of another job
// therefore has no effect, and the result looks as if it had. Each function below compares one file with the graph and
// returns a warning if nothing in the file, or in a required part of it, matches: the place, the file's content, the
// graph's content.
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

/// `table` is the table as the file has it. Warns if the table has groups that no collective names, while collectives
/// name groups that the table lacks.
[[nodiscard]] std::vector<Diagnostic> unfitGroups(const GroupTable &table, const Graph &graph, llvm::StringRef file);
/// Warns if durations belong to nodes that the graph does not have.
[[nodiscard]] std::vector<Diagnostic> unfitDurations(const Durations &durations, const Graph &graph);
/// Warns if no collective of the graph has the kind and the numbers of ranks and nodes of a timed collective.
[[nodiscard]] std::vector<Diagnostic> unfitCollectives(const Machine &machine, const Graph &graph,
                                                       llvm::StringRef file);
/// `targets` are written as declared, "mylib.scale" or with the overload. Warns if the graph calls none of them.
[[nodiscard]] std::vector<Diagnostic> unfitOperators(llvm::ArrayRef<std::string> targets, const Graph &graph,
                                                     llvm::StringRef file);

} // namespace ccgraph
