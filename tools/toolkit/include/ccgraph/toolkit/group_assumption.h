// Group assumption: what is taken of groups that no file describes, and said of it.
//
// A graph names its groups and never lists their ranks. Where no file does either, ranks 0..n-1 are
// taken, marked as assumed, so that whatever says something of the graph can say this too.
//
// Ownership: none. Failure: none, but for checkWellFormed, whose DiagnosticError says what the
// assumption may have to do with it. Cost: linear in the nodes of the graph and its subgraphs.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ccgraph {

/// No tool runs more ranks than this in one process, or lists more of a group that no file describes.
inline constexpr size_t mostRanks = 65536;

/// Takes the groups that collectives name and no table knows as dimensions of one mesh of `ranks` ranks
/// (ccgraph/ir/group_nesting.h), marked as assumed. A group has the size that a collective on it states, else what the
/// other groups leave of the ranks, else all of them. A group of all ranks is listed as 0..n-1, and so is one that is
/// no dimension of so many ranks. A size of 0, or of more than mostRanks, leaves the group unknown.
void assumeGroups(Graph &graph, size_t ranks);

/// What was taken for granted of groups, in words: "groups 0, tp taken as ranks 0 to 3, since no file says"; empty
/// where files describe all groups.
[[nodiscard]] std::string assumedGroupsText(const GroupTable &groups);

/// A sentence for the head of a summary where predicted times depend on ranks that were assumed: which, and what to
/// write into the file that settles it; empty where they do not, as inside of one node of `ranksPerNode` ranks.
[[nodiscard]] std::string groupGuessText(const Graph &graph, int64_t ranksPerNode);

/// The errors of the verifier; where groups were assumed, a note says so, since the assumption may be what is wrong.
[[nodiscard]] llvm::Error checkWellFormed(const Graph &graph);

/// Names of groups that collectives mention and the table does not hold, in program order.
[[nodiscard]] std::vector<std::string> unknownGroups(const Graph &graph);

/// The number of ranks that the graph and its table speak of: the size of the world, else that of the mesh whose
/// dimensions are the groups of stated sizes; 0 where they say nothing.
[[nodiscard]] size_t statedRanks(const Graph &graph);

} // namespace ccgraph
