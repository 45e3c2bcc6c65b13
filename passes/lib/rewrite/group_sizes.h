// GroupSizes: the number of ranks of the groups of a graph, where every rank derives the same number.
//
// A call may state the size of its group (all_gather(x, 8, "tp")); this holds for all calls on the group. Otherwise the
// size follows from members that all ranks have in common (ccgraph/ir/group_id.h).
//
// Ownership: refers to the graph and its groups. Failure: none; an unknown size is empty. Cost: O(nodes) to build; a
// query is linear in the members of the group.
#pragma once

#include "analysis/comm_groups.h"
#include "ccgraph/ir/graph.h"

namespace ccgraph {

/// Whether the members of a group that no file describes count. An assumption is enough for a number in a report, but
/// not for a number that the rewritten graph contains.
enum class AssumedMembers : bool { Reject, Accept };

class GroupSizes {
public:
  GroupSizes(const Graph &graph, const CommGroups &groups, AssumedMembers assumed);
  /// Returns the size of the collective's group; empty if it is unknown.
  [[nodiscard]] std::optional<int64_t> of(const Node &launch) const;
  /// Returns the same from the members alone, whatever calls state.
  [[nodiscard]] std::optional<int64_t> ofMembers(const Node &launch) const;

private:
  const Graph &graph_;
  const CommGroups &groups_;
  AssumedMembers assumed_;
  /// by group: the size that some call states
  std::vector<std::optional<int64_t>> stated_;
};

} // namespace ccgraph
