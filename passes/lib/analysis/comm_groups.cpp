#include "analysis/comm_groups.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph {

namespace {

using Cells = std::vector<std::vector<int64_t>>;

/// The groups are those of the whole graph, though the call may stand in a wrapper's subgraph.
Cells cellsOf(const Node &collective, const GroupTable &groups) {
  std::optional<CollectiveCall> call = collectiveCall(collective);
  if (!call)
    return {};
  if (!call->ranks.empty())
    return {call->ranks};
  const Group *group = groups.find(call->group);
  if (!group)
    return {};
  if (!group->ranks.empty())
    return {group->ranks};
  return group->partition;
}

} // namespace

CommGroups::CommGroups(const Graph &graph, bool spmd)
    : spmd_(spmd), groupOf_(graph.idLimit(), none), strict_(graph.idLimit(), false) {
  for (const Node *node = graph.front(); node; node = node->next())
    if (const Node *call = wrappedCall(*node); call && collectiveOf(*call))
      add(*node, *call);
  sharing_.resize(keys_.size());
  fencing_.resize(keys_.size());
  if (llvm::is_contained(strict_, true))
    findSharing();
}

void CommGroups::findSharing() {
  for (uint32_t group = 0; group < keys_.size(); ++group) {
    if (cells_[group].empty())
      unknown_.push_back(group);
    for (uint32_t index = 0; index < cells_[group].size(); ++index)
      for (int64_t rank : cells_[group][index])
        cellsOf_[rank].push_back({group, index});
  }
  for (uint32_t id = 0; id < strict_.size(); ++id)
    if (strict_[id] && sharing_[groupOf_[id]].empty())
      findSharing(groupOf_[id]);
  for (uint32_t group = 0; group < keys_.size(); ++group)
    for (uint32_t other : sharing_[group])
      fencing_[other].push_back(group);
}

void CommGroups::findSharing(uint32_t group) {
  std::vector<uint32_t> &sharing = sharing_[group];
  if (cells_[group].empty()) {
    for (uint32_t other = 0; other < keys_.size(); ++other)
      sharing.push_back(other);
    return;
  }
  sharing = unknown_;
  sharing.push_back(group);
  for (const std::vector<int64_t> &cell : cells_[group]) {
    llvm::DenseMap<std::pair<uint32_t, uint32_t>, unsigned> common;
    for (int64_t rank : cell)
      for (Cell other : cellsOf_[rank])
        if (++common[{other.group, other.index}] == 2)
          sharing.push_back(other.group);
  }
  llvm::sort(sharing);
  sharing.erase(std::unique(sharing.begin(), sharing.end()), sharing.end());
}

bool CommGroups::shares(uint32_t strict, uint32_t other) const {
  return std::binary_search(sharing_[strict].begin(), sharing_[strict].end(), other);
}

void CommGroups::add(const Node &node, const Node &collective) {
  std::string key = groupKey(collective);
  auto [found, isNew] = index_.try_emplace(key, static_cast<uint32_t>(keys_.size()));
  if (isNew) {
    keys_.push_back(key);
    cells_.push_back(cellsOf(collective, node.graph()->groups()));
  }
  groupOf_[node.id()] = found->second;
  CollectiveKind kind = collectiveOf(collective)->kind;
  strict_[node.id()] = isPointToPoint(kind) || kind == CollectiveKind::Barrier;
}

bool CommGroups::keepOrder(const Node *a, const Node *b) const {
  uint32_t groupA = groupOf(a);
  uint32_t groupB = groupOf(b);
  if (groupA == groupB || !spmd_)
    return true;
  return isStrict(a) ? shares(groupA, groupB) : isStrict(b) && shares(groupB, groupA);
}

} // namespace ccgraph
