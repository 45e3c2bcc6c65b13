#include "simplify/hierarchy/node_groups.h"

#include "ccgraph/ir/group_id.h"
#include "ccgraph/ir/group_nesting.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

using Ranks = std::vector<int64_t>;

/// Returns the members of each node, in the order of the list; nodes in the order of their first member.
std::vector<Ranks> byNode(const Ranks &cell, int64_t ranksPerNode) {
  std::vector<Ranks> nodes;
  for (int64_t rank : cell) {
    auto node = llvm::find_if(
        nodes, [&](const Ranks &members) { return members.front() / ranksPerNode == rank / ranksPerNode; });
    if (node == nodes.end())
      nodes.push_back({rank});
    else
      node->push_back(rank);
  }
  return nodes;
}

/// Adds the groups of one list of ranks; empty if they fit the groups so far.
std::optional<NodeObstacle> addCell(const Ranks &cell, int64_t ranksPerNode, NodeGroups &groups) {
  std::vector<Ranks> nodes = byNode(cell, ranksPerNode);
  if (groups.nodes == 0) {
    groups.nodes = static_cast<int64_t>(nodes.size());
    groups.ranksOnNode = static_cast<int64_t>(nodes.front().size());
  }
  auto isAlike = [&](const Ranks &node) { return static_cast<int64_t>(node.size()) == groups.ranksOnNode; };
  if (static_cast<int64_t>(nodes.size()) != groups.nodes || !llvm::all_of(nodes, isAlike))
    return NodeObstacle::Uneven;
  Ranks listed;
  for (const Ranks &node : nodes)
    llvm::append_range(listed, node);
  groups.isNodeMajor &= listed == cell;
  for (int64_t local = 0; local < groups.ranksOnNode; ++local) {
    Ranks &across = groups.across.emplace_back();
    for (const Ranks &node : nodes)
      across.push_back(node[static_cast<size_t>(local)]);
  }
  llvm::append_range(groups.inside, nodes);
  return std::nullopt;
}

/// Returns true for a group of the table that every rank knows to have these lists of ranks.
bool hasCells(const Graph &graph, const Group &group, llvm::ArrayRef<Ranks> cells) {
  std::vector<Ranks> members =
      sharedMembers(graph.groups(), GroupId{GroupId::Kind::Name, group.name, {}}, knownWorldSize(graph));
  return !group.assumed && members.size() == cells.size() &&
         llvm::all_of(cells, [&](const Ranks &cell) { return llvm::is_contained(members, cell); });
}

bool isFree(const Graph &graph, llvm::StringRef name) {
  return !graph.groups().find(name) &&
         llvm::none_of(usedGroups(graph), [&](const UsedGroup &group) { return group.id.text == name; });
}

} // namespace

std::variant<NodeGroups, NodeObstacle> nodeGroupsOf(const Graph &graph, const Node &collective, int64_t ranksPerNode) {
  const GroupId id = groupIdOf(collective);
  const Group *group = id.kind == GroupId::Kind::Name ? graph.groups().find(id.text) : nullptr;
  std::optional<int64_t> world = knownWorldSize(graph);
  if (!group || group->assumed || !world)
    return NodeObstacle::Members;
  std::vector<Ranks> cells = sharedMembers(graph.groups(), id, world);
  if (cells.empty())
    return NodeObstacle::Members;
  NodeGroups groups;
  for (const Ranks &cell : cells)
    if (std::optional<NodeObstacle> obstacle = addCell(cell, ranksPerNode, groups))
      return *obstacle;
  if (groups.nodes < 2)
    return NodeObstacle::OneNode;
  return groups.ranksOnNode < 2 ? std::variant<NodeGroups, NodeObstacle>(NodeObstacle::OneRankEach) : groups;
}

std::string nameOfGroup(Graph &graph, llvm::ArrayRef<std::vector<int64_t>> cells, llvm::StringRef name,
                        llvm::StringRef description) {
  for (const Group &group : graph.groups().groups())
    if (hasCells(graph, group, cells))
      return group.name;
  std::string free = name.str();
  for (int number = 2; !isFree(graph, free); ++number)
    free = name.str() + "_" + std::to_string(number);
  Group group;
  group.name = free;
  group.partition = cells.vec();
  group.description = description.str();
  graph.groups().set(std::move(group));
  return free;
}

} // namespace ccgraph
