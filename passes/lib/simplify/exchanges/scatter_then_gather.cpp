#include "simplify/exchanges/rewrites.h"

#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/collective.h"
#include "rewrite/supersede.h"

namespace ccgraph {

namespace {

/// Returns true if both launches are on one group, of the same number of ranks.
bool areOnOneGroup(RegionFacts &facts, const Node &a, const Node &b) {
  return facts.groups().groupOf(&a) == facts.groups().groupOf(&b) &&
         collectiveCall(a)->groupSize == collectiveCall(b)->groupSize;
}

/// Returns the bytes by which the value that the first wait frees, and the all_reduce needs, is larger than the share
/// that was live instead; 0 if the wait frees nothing.
int64_t heldForLonger(RegionFacts &facts, const ExchangeRegion &region, const Node *firstWait) {
  const LiveBytes &memory = facts.spare().live();
  int64_t bytes = 0;
  for (LiveBytes::IntervalId id : memory.intervalsOf(firstWait))
    if (memory.last(id) == firstWait && !memory.isForGood(id) && memory.first(id) != region.first)
      bytes += memory.bytes(id);
  return std::max<int64_t>(bytes - outputBytes(*region.first).value_or(0), 0);
}

} // namespace

std::optional<ExchangeRegion> matchScatterThenGather(RegionFacts &facts, Node *launch) {
  if (!isFunctional(*launch, CollectiveKind::ReduceScatter))
    return std::nullopt;
  Node *share = onlyWait(*launch);
  Node *gather = share ? onlyReader(*share) : nullptr;
  if (!gather || !isFunctional(*gather, CollectiveKind::AllGather) || !areOnOneGroup(facts, *launch, *gather))
    return std::nullopt;
  Node *result = onlyWait(*gather);
  if (!result)
    return std::nullopt;
  return ExchangeRegion{.result = result,
                        .launch = gather,
                        .first = launch,
                        .input = launch->operand(0),
                        .launches = {launch, gather},
                        .gone = {share, launch}};
}

// The all_reduce takes the place of the all_gather. It reads x there, so x must be unchanged until then, and live until
// the second wait.
std::optional<RegionObstacle> scatterThenGatherObstacle(RegionFacts &facts, const ExchangeRegion &region) {
  if (facts.isWritten(*region.input))
    return RegionObstacle::Written;
  if (facts.isOpaqueBetween(*region.first, region.result))
    return RegionObstacle::Opaque;
  const Type *was = region.result->type(), *input = region.input->type();
  if (!was || !input || was->dtype() != input->dtype() || was->sizes() != input->sizes())
    return RegionObstacle::Type;
  Node *firstWait = region.gone.front();
  int64_t bytes = heldForLonger(facts, region, firstWait);
  if (bytes == 0)
    return std::nullopt;
  if (!facts.spare().hasRoom(bytes, firstWait, region.result->next()))
    return RegionObstacle::OverBudget;
  facts.spare().take(bytes, {firstWait, region.result});
  return std::nullopt;
}

void buildAllReduce(Graph &graph, RegionFacts &, const ExchangeRegion &region, RuleEntry &entry) {
  Node *scatter = region.first, *gather = region.launch;
  GraphBuilder begin(graph, gather);
  begin.standFor({scatter, gather});
  Node *all = begin.call(formOf(CollectiveKind::AllReduce, CollectiveForm::Single),
                         {scatter->operand(0), Actual::copyOf(*scatter, scatter->args()[1]),
                          Actual::copyOf(*scatter, scatter->args()[3])});
  GraphBuilder end(graph, region.result);
  end.standFor({region.result});
  entry.built = {waitLike(end, all, *region.result), all};
}

} // namespace ccgraph
