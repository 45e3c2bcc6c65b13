#include "analysis/comm_groups.h"

#include <unordered_set>

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

bool shareTwo(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
  std::unordered_set<int64_t> members(a.begin(), a.end());
  int64_t common = 0;
  for (int64_t rank : b)
    common += static_cast<int64_t>(members.count(rank));
  return common >= 2;
}

bool mayShareTwo(const Cells &a, const Cells &b) {
  if (a.empty() || b.empty())
    return true;
  return llvm::any_of(a, [&](const auto &x) { return llvm::any_of(b, [&](const auto &y) { return shareTwo(x, y); }); });
}

} // namespace

CommGroups::CommGroups(const Graph &graph, bool spmd)
    : spmd_(spmd), groupOf_(graph.idLimit(), none), strict_(graph.idLimit(), false) {
  for (const Node *node = graph.front(); node; node = node->next())
    if (const Node *call = wrappedCall(*node); call && collectiveOf(*call))
      add(*node, *call);
  share_.resize(keys_.size() * keys_.size());
  for (size_t a = 0; a < keys_.size(); ++a)
    for (size_t b = 0; b < keys_.size(); ++b)
      share_[a * keys_.size() + b] = a == b || mayShareTwo(cells_[a], cells_[b]);
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
  return (isStrict(a) || isStrict(b)) && share(groupA, groupB);
}

} // namespace ccgraph
