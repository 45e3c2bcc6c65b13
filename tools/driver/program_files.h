// Program files: what the tools load beside one another: graphs, group tables, recorded values.
//
// Ownership: graphs are the caller's and live in `context`. Failure: DiagnosticErrors with file
// and line where there is one; a missing file is an error with its path. Cost: that of the
// readers.
#pragma once

#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/host_tensor.h"
#include "driver/command_line.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace ccgraph::driver {

/// Every graph of a file; those that `selector` names, by name or by index, where it is not
/// empty. Warnings are printed to `warnings`.
[[nodiscard]] llvm::Expected<std::vector<std::unique_ptr<Graph>>>
loadGraphs(Context &context, const InputFile &file, llvm::StringRef selector, llvm::raw_ostream &warnings);

/// The graph of a file that `selector` names, by name or by index; empty: the only one.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> loadGraph(Context &context, llvm::StringRef path,
                                                               llvm::StringRef selector = "");

/// Adds the groups of a group file to a graph, over those of the same name.
[[nodiscard]] llvm::Error addGroups(Graph &graph, llvm::StringRef path);

/// Takes each group that collectives name and no table knows as ranks 0..n-1, marked as assumed:
/// n is the group size that a collective on it states, else `ranks`; 0, or more than mostRanks, leaves
/// the group unknown.
void assumeGroups(Graph &graph, size_t ranks);

/// What was taken for granted of groups, in words: "groups 0, tp taken as ranks 0 to 3, since no file says"; empty
/// where files describe all groups.
[[nodiscard]] std::string assumedGroupsText(const GroupTable &groups);

/// The errors of the verifier with the file that the graph is of; where groups were assumed, a note says so, since the assumption may be
/// what is wrong.
[[nodiscard]] llvm::Error checkWellFormed(const Graph &graph, llvm::StringRef path);

/// Names of groups that collectives mention and the table does not hold, in program order.
[[nodiscard]] std::vector<std::string> unknownGroups(const Graph &graph);

/// The number of ranks that the graph itself speaks of: its world size, else the largest group
/// size that a collective states; 0 where it says nothing.
[[nodiscard]] size_t statedRanks(const Graph &graph);

/// Bytes of memory that this machine has: what a run may hold here.
[[nodiscard]] int64_t machineMemory();

/// DIR/rank0.safetensors, DIR/rank1.safetensors, ..., by rank.
[[nodiscard]] llvm::Expected<std::vector<TensorMap>> loadValues(llvm::StringRef directory, size_t ranks);

} // namespace ccgraph::driver
