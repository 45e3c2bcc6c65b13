#include "rewrite/group_sizes.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/group_nesting.h"

namespace ccgraph {

GroupSizes::GroupSizes(const Graph &graph, const CommGroups &groups, AssumedMembers assumed)
    : graph_(graph), groups_(groups), assumed_(assumed), stated_(groups.numGroups()) {
  for (const Node *node : graph)
    if (std::optional<CollectiveCall> call = collectiveCall(*node); call && call->groupSize)
      stated_[groups.groupOf(node)] = call->groupSize;
}

std::optional<int64_t> GroupSizes::of(const Node &launch) const {
  if (std::optional<int64_t> stated = stated_[groups_.groupOf(&launch)])
    return stated;
  return ofMembers(launch);
}

std::optional<int64_t> GroupSizes::ofMembers(const Node &launch) const {
  const GroupTable &table = graph_.groups();
  const Group *group = table.find(collectiveCall(launch)->group);
  if (group && group->assumed && assumed_ == AssumedMembers::Reject)
    return std::nullopt;
  std::vector<std::vector<int64_t>> cells = sharedMembers(table, groupIdOf(launch), knownWorldSize(graph_));
  if (cells.empty())
    return std::nullopt;
  size_t size = cells.front().size();
  bool alike = llvm::all_of(cells, [&](const std::vector<int64_t> &cell) { return cell.size() == size; });
  return alike ? std::optional(static_cast<int64_t>(size)) : std::nullopt;
}

} // namespace ccgraph
