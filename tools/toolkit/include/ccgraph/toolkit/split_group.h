// splitGroup: what a program would be if some of its collectives had a communicator of their own.
//
// Collectives of one group run one after the other, so a gather queues behind an exchange that is long. A job can make a
// second group of the same ranks and use it for one of the two. splitGroup() writes that program: every collective of
// the kind that names the group names the new group, which has the same members. Values do not change. The job has to
// make the group, too, before it can run the result.
//
// Ownership: edits the graph. Failure: an error that names the group and what the graph has. Cost: linear in nodes.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

struct GroupSplit {
  /// as the graph has it
  std::string group;
  /// collectiveName() of a kind: "all_gather"
  std::string kind;
  /// the new group: "0.all_gather"
  [[nodiscard]] std::string name() const { return group + "." + kind; }
};

/// "0:all_gather"; the group is what stands before the last colon.
[[nodiscard]] llvm::Expected<GroupSplit> parseGroupSplit(llvm::StringRef text);

[[nodiscard]] llvm::Error splitGroup(Graph &graph, const GroupSplit &split);

/// The splits that leave something on both sides, by group and then by kind as the program has them first. Of two kinds the
/// first alone is offered, because either has a group of its own then.
[[nodiscard]] std::vector<GroupSplit> possibleSplits(const Graph &graph);

} // namespace ccgraph
