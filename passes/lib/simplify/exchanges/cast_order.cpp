#include "simplify/exchanges/rewrites.h"

#include "analysis/casts.h"
#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/collective.h"
#include "rewrite/supersede.h"

namespace ccgraph {

namespace {

/// The kinds that only move elements, so that a cast of each element commutes with them.
bool onlyMoves(const Node &launch) {
  return isFunctional(launch, CollectiveKind::AllGather) || isFunctional(launch, CollectiveKind::Broadcast) ||
         (isFunctional(launch, CollectiveKind::AllToAll) && collectiveCall(launch)->inputSplits &&
          collectiveCall(launch)->inputSplits == collectiveCall(launch)->outputSplits);
}

/// The dtypes that every backend sends (c10d maps these for NCCL and for gloo).
bool isSent(DType dtype) {
  constexpr DType sent[] = {DType::U8,  DType::I8,   DType::I32, DType::I64,
                            DType::F16, DType::BF16, DType::F32, DType::F64};
  return llvm::is_contained(sent, dtype);
}

/// Returns true if both are dense tensors, and every backend can send the narrow one, which takes fewer bytes.
bool isNarrower(const Type *narrow, const Type *wide) {
  auto isDense = [](const Type *type) { return type && type->isTensor() && type->isContiguous(); };
  return isDense(narrow) && isDense(wide) && isSent(narrow->dtype()) &&
         sizeInBytes(narrow->dtype()) < sizeInBytes(wide->dtype());
}

Node *castLike(GraphBuilder &builder, const Node &cast, Node *value) {
  CallSpec spec{.target = cast.target().str(), .args = argumentsWith(cast, value)};
  for (const NamedArgument &argument : cast.kwargs())
    spec.kwargs.push_back({argument.name.str(), Actual::copyOf(cast, argument.value)});
  return builder.call(spec);
}

/// Returns the bytes of the region's result in the narrow dtype.
int64_t narrowBytes(const ExchangeRegion &region) {
  auto narrow = static_cast<int64_t>(sizeInBytes(region.input->type()->dtype()));
  return *outputBytes(*region.launch) / static_cast<int64_t>(sizeInBytes(region.cast->type()->dtype())) * narrow;
}

/// Returns true if the smaller transfer is predicted to save at least as much time as the cast of the result, which is
/// larger than the input, takes longer.
bool isFaster(RegionFacts &facts, const ExchangeRegion &region) {
  const CostModel &cost = facts.cost();
  const Node &launch = *region.launch;
  int64_t wide = *outputBytes(launch), narrow = narrowBytes(region);
  int64_t inputs = region.input->type()->numBytes().value_or(0) + region.cast->type()->numBytes().value_or(0);
  int64_t saved = cost.collective(launch, wide) - cost.collective(launch, narrow);
  return cost.copy(wide + narrow) - cost.copy(inputs) <= saved;
}

} // namespace

std::optional<ExchangeRegion> matchCastBefore(RegionFacts &, Node *launch) {
  if (!onlyMoves(*launch) || !castDType(*launch->operand(0)) || onlyReader(*launch->operand(0)) != launch)
    return std::nullopt;
  Node *cast = launch->operand(0), *wait = onlyWait(*launch);
  if (!wait || !isNarrower(cast->operand(0)->type(), cast->type()))
    return std::nullopt;
  return ExchangeRegion{.result = wait,
                        .launch = launch,
                        .first = launch,
                        .input = cast->operand(0),
                        .launches = {launch},
                        .gone = {cast},
                        .cast = cast};
}

std::optional<RegionObstacle> castBeforeObstacle(RegionFacts &facts, const ExchangeRegion &region) {
  if (facts.isWritten(*region.input))
    return RegionObstacle::Written;
  if (facts.isOpaqueBetween(*region.cast, region.result))
    return RegionObstacle::Opaque;
  if (!isFaster(facts, region))
    return RegionObstacle::Slower;
  // At the new cast, the narrow result is live together with the wide one, and no longer the wide input.
  int64_t bytes = narrowBytes(region) - region.cast->type()->numBytes().value_or(0);
  if (bytes <= 0)
    return std::nullopt;
  if (!facts.spare().hasRoom(bytes, region.result, region.result->next()))
    return RegionObstacle::OverBudget;
  facts.spare().take(bytes, {region.result});
  return std::nullopt;
}

void buildCastAfter(Graph &graph, RegionFacts &, const ExchangeRegion &region, RuleEntry &entry) {
  GraphBuilder begin(graph, region.launch);
  begin.standFor({region.launch});
  Node *launch = begin.call(region.launch->target().str(), argumentsWith(*region.launch, region.cast->operand(0)));
  GraphBuilder end(graph, region.result);
  end.standFor({region.result});
  Node *wait = waitLike(end, launch, *region.result);
  end.standFor({region.cast});
  entry.built = {castLike(end, *region.cast, wait), launch, wait};
}

std::optional<ExchangeRegion> matchCastAfter(RegionFacts &, Node *launch) {
  Node *wait = onlyMoves(*launch) ? onlyWait(*launch) : nullptr;
  Node *cast = wait ? onlyReader(*wait) : nullptr;
  if (!cast || !castDType(*cast) || !isNarrower(cast->type(), wait->type()))
    return std::nullopt;
  return ExchangeRegion{.result = cast,
                        .launch = launch,
                        .first = launch,
                        .input = launch->operand(0),
                        .launches = {launch},
                        .gone = {wait},
                        .cast = cast};
}

std::optional<RegionObstacle> castAfterObstacle(RegionFacts &facts, const ExchangeRegion &region) {
  return facts.isOpaqueBetween(*region.launch, region.result) ? std::optional(RegionObstacle::Opaque) : std::nullopt;
}

void buildCastBefore(Graph &graph, RegionFacts &, const ExchangeRegion &region, RuleEntry &entry) {
  GraphBuilder begin(graph, region.launch);
  begin.standFor({region.cast});
  Node *cast = castLike(begin, *region.cast, region.launch->operand(0));
  begin.standFor({region.launch});
  Node *launch = begin.call(region.launch->target().str(), argumentsWith(*region.launch, cast));
  Node *wait = region.gone.front();
  GraphBuilder end(graph, wait);
  end.standFor({wait});
  entry.built = {waitLike(end, launch, *wait), launch, cast};
}

} // namespace ccgraph
