// splitGroup gives some collectives of a program a communicator of their own.
//
// Collectives of one group run one after the other, so an all_gather waits for a long all_to_all of the same group. A
// job can make a second group of the same ranks and use it for one of the two. splitGroup() writes that program: every
// collective of the given kind that names the group then names the new group, which has the same members. Values do not
// change. The job must also make the group before it can run the result.
//
// Ownership: edits the graph. Failure: an error with the name of the group and the groups of the graph. Cost: linear in
// nodes.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

struct GroupSplit {
  /// the name of the group in the graph
  std::string group;
  /// collectiveName() of a kind: "all_gather"
  std::string kind;
  /// the new group: "0.all_gather"
  [[nodiscard]] std::string name() const { return group + "." + kind; }
};

/// Parses "0:all_gather"; the group is the text before the last colon.
[[nodiscard]] llvm::Expected<GroupSplit> parseGroupSplit(llvm::StringRef text);

[[nodiscard]] llvm::Error splitGroup(Graph &graph, const GroupSplit &split);

/// Returns the splits that leave collectives on both sides, in the order in which the program first uses the groups,
/// then the kinds. For a group with two kinds, only the split of the first kind is returned, because either split
/// separates the two.
[[nodiscard]] std::vector<GroupSplit> possibleSplits(const Graph &graph);

} // namespace ccgraph
