// NodeGroups: the groups that a group of ranks has inside its nodes and across them.
//
//   ranks 0 to 7 on nodes of 4     ->    inside  [0, 1, 2, 3] [4, 5, 6, 7]      across  [0, 4] [1, 5] [2, 6] [3, 7]
//
// Rank k of a list across has the index of that list in its node. All lists of one kind have the same size, so that one
// program fits every rank.
//
// Members are read only where every rank derives them alike (ccgraph/ir/group_id.h). New groups are added to the
// graph's table as partitions, with names that no other group of the graph has, so all ranks add the same groups.
//
// Ownership: plain values. Failure: a NodeObstacle. Cost: linear in the members, and in the groups of the table.
#pragma once

#include "ccgraph/ir/graph.h"

#include <variant>

namespace ccgraph {

/// Why a group has no such groups.
enum class NodeObstacle : uint8_t {
  /// the members are unknown, or another rank may know others
  Members,
  /// all members are on one node
  OneNode,
  /// each node has one member
  OneRankEach,
  /// two nodes have different numbers of members, or two lists of the group span different numbers of nodes
  Uneven,
};

struct NodeGroups {
  int64_t nodes = 0;
  int64_t ranksOnNode = 0;
  std::vector<std::vector<int64_t>> inside;
  std::vector<std::vector<int64_t>> across;
  /// the group lists the members of the first node, then those of the next one, and so on
  bool isNodeMajor = true;
};

/// Divides the group of a collective. Rank r is on node r / `ranksPerNode`.
[[nodiscard]] std::variant<NodeGroups, NodeObstacle> nodeGroupsOf(const Graph &graph, const Node &collective,
                                                                  int64_t ranksPerNode);

/// Returns the name of the group with these lists of ranks: that of the table if there is one, else the name of a new
/// group, which is `name` or a similar one.
[[nodiscard]] std::string nameOfGroup(Graph &graph, llvm::ArrayRef<std::vector<int64_t>> cells, llvm::StringRef name,
                                      llvm::StringRef description);

} // namespace ccgraph
