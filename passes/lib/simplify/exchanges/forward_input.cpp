#include "simplify/exchanges/rewrites.h"

#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/collective.h"

namespace ccgraph {

namespace {

constexpr CollectiveKind exchangeKinds[] = {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                            CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
                                            CollectiveKind::Broadcast};

bool isExchange(const Node &launch) {
  return llvm::any_of(exchangeKinds, [&](CollectiveKind kind) { return isFunctional(launch, kind); });
}

/// Returns true for a reduction of equal values that returns the value.
bool isIdempotent(const Node &launch) {
  std::optional<ReduceOp> op = parseReduceOp(collectiveCall(launch)->reduceOp);
  return op == ReduceOp::Min || op == ReduceOp::Max || op == ReduceOp::Band || op == ReduceOp::Bor;
}

ExchangeRegion regionOf(Node *launch, Node *wait) {
  return {.result = wait, .launch = launch, .first = launch, .input = launch->operand(0), .launches = {launch}};
}

std::optional<std::vector<int64_t>> equalSplits(const Node &launch) {
  std::optional<CollectiveCall> call = collectiveCall(launch);
  bool equal = call->inputSplits && call->inputSplits == call->outputSplits && !call->inputSplits->empty() &&
               llvm::all_of(*call->inputSplits, [&](int64_t rows) { return rows == call->inputSplits->front(); });
  return equal ? call->inputSplits : std::nullopt;
}

/// Returns true if the second of two launches on one group undoes the first.
bool cancels(const Node &first, const Node &second) {
  if (isFunctional(first, CollectiveKind::AllToAll) && isFunctional(second, CollectiveKind::AllToAll))
    return equalSplits(first) && equalSplits(first) == equalSplits(second);
  return isFunctional(first, CollectiveKind::AllGather) && isFunctional(second, CollectiveKind::ReduceScatter) &&
         collectiveCall(first)->groupSize == collectiveCall(second)->groupSize && isIdempotent(second);
}

/// Returns true if the result may share memory with the input, so that no copy is needed.
bool mayShare(RegionFacts &facts, const ExchangeRegion &region) {
  return !facts.isWritten(*region.input) && !facts.isWritten(*region.result) && !facts.isObserved(*region.result) &&
         !facts.isOpaqueBetween(*region.first, nullptr);
}

} // namespace

std::optional<ExchangeRegion> matchOneRank(RegionFacts &facts, Node *launch) {
  if (!isExchange(*launch) || !facts.isOnOneRank(*launch))
    return std::nullopt;
  const std::string reduceOp = collectiveCall(*launch)->reduceOp;
  if (collectiveOf(*launch)->reduceOp >= 0 && !parseReduceOp(reduceOp))
    return std::nullopt;
  Node *wait = onlyWait(*launch);
  return wait ? std::optional(regionOf(launch, wait)) : std::nullopt;
}

std::optional<ExchangeRegion> matchReplicated(RegionFacts &facts, Node *launch) {
  bool keeps = isFunctional(*launch, CollectiveKind::Broadcast) ||
               (isFunctional(*launch, CollectiveKind::AllReduce) && isIdempotent(*launch));
  Node *wait = keeps ? onlyWait(*launch) : nullptr;
  if (!wait || !facts.isReplicated(*launch->operand(0), *launch))
    return std::nullopt;
  return regionOf(launch, wait);
}

std::optional<ExchangeRegion> matchInverse(RegionFacts &facts, Node *launch) {
  Node *middle = isExchange(*launch) ? onlyWait(*launch) : nullptr;
  Node *second = middle ? onlyReader(*middle) : nullptr;
  if (!second || !isExchange(*second) || second->operand(0) != middle ||
      facts.groups().groupOf(launch) != facts.groups().groupOf(second) || !cancels(*launch, *second))
    return std::nullopt;
  Node *wait = onlyWait(*second);
  if (!wait)
    return std::nullopt;
  ExchangeRegion region = regionOf(launch, wait);
  region.launch = second;
  region.launches.push_back(second);
  region.gone = {middle, launch};
  return region;
}

std::optional<RegionObstacle> forwardObstacle(RegionFacts &facts, const ExchangeRegion &region) {
  if (hasOrdering(*region.launch))
    return RegionObstacle::Ordered;
  if (facts.isOpaqueBetween(*region.first, region.result))
    return RegionObstacle::Opaque;
  return region.input->type() == region.result->type() ? std::nullopt : std::optional(RegionObstacle::Type);
}

void buildForward(Graph &graph, RegionFacts &facts, const ExchangeRegion &region, RuleEntry &entry) {
  // A rewrite before this one may have replaced the input. A node that it made is listed as its own, so it is copied.
  Node *input = region.first->operand(0);
  if (facts.isOriginal(*input) && mayShare(facts, region)) {
    entry.built = {input};
    return;
  }
  GraphBuilder builder(graph, region.first);
  builder.standFor({region.first});
  entry.built = {builder.call("aten.clone.default", {input})};
}

} // namespace ccgraph
