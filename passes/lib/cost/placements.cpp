#include "cost/placements.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/group_id.h"

#include <algorithm>
#include <tuple>

namespace ccgraph {

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

Placement Placements::look(const Node &collective, const std::vector<std::vector<int64_t>> &cells) {
  Placement most{0, 0};
  for (const std::vector<int64_t> &cell : cells) {
    const Placement one = ofRanks(cell);
    if (std::tie(one.nodes, one.ranks) > std::tie(most.nodes, most.ranks))
      most = one;
  }
  if (most.ranks > 0)
    return most;
  assumed_.push_back(groupIdOf(collective).text);
  const int64_t size = statedSize(collective);
  // Because a file may state any size, the sum of the two might not fit.
  return {size, (size - 1) / ranksPerNode_ + 1};
}

Placement Placements::of(const Node &collective) {
  const GroupId group = groupIdOf(collective);
  const std::string key = std::to_string(static_cast<int>(group.kind)) + group.text;
  auto known = known_.find(key);
  if (known == known_.end())
    known = known_.try_emplace(key, look(collective, possibleMembers(graph_.groups(), group))).first;
  return known->second;
}

} // namespace ccgraph
