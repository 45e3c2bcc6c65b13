// Assumes the ranks of groups that no file describes, and describes the assumption.
//
// A graph names its groups and never lists their ranks. If no file lists them, ranks 0..n-1 are assumed and marked as
// assumed, so that every report about the graph can mention the assumption.
//
// Ownership: none. Failure: none, except in checkWellFormed, whose DiagnosticError explains how the assumption may be
// the cause. Cost: linear in the nodes of the graph and its subgraphs.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ccgraph {

class StorageMap;

/// The largest number of ranks that a tool runs in one process, or lists for a group that no file describes.
inline constexpr size_t mostRanks = 65536;

/// Assumes that the groups which collectives name and no table holds are dimensions of one mesh of `ranks` ranks
/// (ccgraph/ir/group_nesting.h), and marks them as assumed. The size of a group is the size that a collective states,
/// else the number of ranks that the other groups leave, else all ranks. A group of all ranks is listed as 0..n-1; so
/// is a group that cannot be a dimension of that many ranks. A group of size 0 or of more than mostRanks stays unknown.
void assumeGroups(Graph &graph, size_t ranks);

/// Returns the assumptions about groups as text: "groups 0, tp taken as ranks 0 to 3, since no file states them"; empty
/// if files describe all groups.
[[nodiscard]] std::string assumedGroupsText(const GroupTable &groups);

/// Returns a sentence for the head of a summary if predicted times depend on assumed ranks: which ranks, and what to
/// write into the group file. Returns an empty text if they do not, as for groups within one node of `ranksPerNode`
/// ranks.
[[nodiscard]] std::string groupGuessText(const Graph &graph, int64_t ranksPerNode);

/// Returns the errors of the verifier; if groups were assumed, a note mentions it, since the assumption may be wrong.
/// `storages` are those of the graph in its present state, if the caller has them.
[[nodiscard]] llvm::Error checkWellFormed(const Graph &graph, const StorageMap *storages = nullptr);

/// Returns the groups that collectives name and the table does not hold, in program order.
[[nodiscard]] std::vector<std::string> unknownGroups(const Graph &graph);

/// Returns the number of ranks in the graph and its table: the size of the world, else that of the mesh whose
/// dimensions are the groups of stated sizes; 0 if they state none.
[[nodiscard]] size_t statedRanks(const Graph &graph);

} // namespace ccgraph
