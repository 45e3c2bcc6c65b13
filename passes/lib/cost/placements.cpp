#include "cost/placements.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/group_id.h"

#include <algorithm>
#include <tuple>

namespace ccgraph {

Placements::Placements(const Graph &graph, const Machine &machine, RankView view)
    : graph_(graph), ranksPerNode_(machine.ranksPerNode) {
  if (view == RankView::Shared)
    world_ = knownWorldSize(graph);
  used_ = usedGroups(graph);
  layouts_ = nestGroups(used_, world_.value_or(0));
}

Placement Placements::ofRanks(llvm::ArrayRef<int64_t> ranks) const {
  std::vector<int64_t> nodes;
  for (int64_t rank : ranks)
    nodes.push_back(rank / ranksPerNode_);
  llvm::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return {static_cast<int64_t>(ranks.size()), static_cast<int64_t>(nodes.size())};
}

int64_t Placements::statedSize(const Node &collective) const {
  if (auto call = collectiveCall(collective); call && call->groupSize && *call->groupSize > 0)
    return *call->groupSize;
  return graph_.worldSize.value_or(0) > 0 ? *graph_.worldSize : ranksPerNode_;
}

// The first cell, whose ranks are 0, stride, 2 * stride, ...
Placement Placements::ofLayout(const GroupLayout &layout) const {
  if (layout.stride >= ranksPerNode_)
    return {layout.size, layout.size};
  // A file may state any size, so the sum of the two might overflow.
  const int64_t last = (layout.size - 1) / ranksPerNode_ * layout.stride +
                       (layout.size - 1) % ranksPerNode_ * layout.stride / ranksPerNode_;
  return {layout.size, last + 1};
}

Placement Placements::guess(const Node &collective, const GroupId &group) {
  assumed_.push_back(group.text);
  for (size_t i = 0; i < used_.size(); ++i)
    if (used_[i].id == group && layouts_[i])
      return ofLayout(*layouts_[i]);
  return ofLayout({statedSize(collective), 1});
}

Placement Placements::look(const Node &collective, const GroupId &group) {
  Placement most{0, 0};
  for (const std::vector<int64_t> &cell : sharedMembers(graph_.groups(), group, world_)) {
    const Placement one = ofRanks(cell);
    if (std::tie(one.nodes, one.ranks) > std::tie(most.nodes, most.ranks))
      most = one;
  }
  return most.ranks > 0 ? most : guess(collective, group);
}

Placement Placements::of(const Node &collective) {
  const GroupId group = groupIdOf(collective);
  const std::string key = std::to_string(static_cast<int>(group.kind)) + group.text;
  auto known = known_.find(key);
  if (known == known_.end())
    known = known_.try_emplace(key, look(collective, group)).first;
  return known->second;
}

} // namespace ccgraph
