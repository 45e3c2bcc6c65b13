#include "simplify/exchanges/region_facts.h"

#include "ccgraph/ir/collective.h"

namespace ccgraph {

RegionFacts::RegionFacts(Graph &graph, PassContext &context)
    : graph_(graph), context_(context), facts_(context.analyses().facts()), groups_(graph, context.spmd()),
      sizes_(graph, groups_, AssumedMembers::Reject), ranks_(groups_.numGroups()), spare_(graph, facts_, context),
      written_(facts_.writtenStorages()), observed_(facts_.placedStorages()) {
  for (const Node *node : graph) {
    lastId_ = std::max(lastId_, node->id());
    if (program().domain(node) == Domain::All)
      opaque_.push_back(node);
  }
}

std::optional<int64_t> RegionFacts::ranks(const Node &launch) {
  auto &known = ranks_[groups_.groupOf(&launch)];
  if (!known)
    known = sizes_.of(launch);
  return *known;
}

bool RegionFacts::isOnOneRank(const Node &launch) const {
  std::optional<CollectiveCall> call = collectiveCall(launch);
  if (call->groupSize)
    return *call->groupSize == 1;
  if (call->inputSplits)
    return call->inputSplits->size() == 1;
  return !call->group.empty() && sizes_.ofMembers(launch) == 1;
}

bool RegionFacts::isReplicated(const Node &value, const Node &launch) {
  if (!placements_)
    placements_.emplace(graph_, program(), groups());
  return placements_->of(value, groups().groupOf(&launch)).kind == ValuePlacement::Kind::Replicated;
}

bool RegionFacts::isIn(const Node &value, const std::vector<bool> &set) const {
  return llvm::any_of(program().storages().storages(&value), [&](StorageId storage) { return set[storage]; });
}

bool RegionFacts::isOpaqueBetween(const Node &from, const Node *to) const {
  auto next = llvm::partition_point(opaque_, [&](const Node *node) { return !from.isBefore(node); });
  return next != opaque_.end() && (!to || (*next)->isBefore(to));
}

} // namespace ccgraph
