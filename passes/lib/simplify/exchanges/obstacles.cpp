#include "simplify/exchanges/rewrites.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/passes/reassociation.h"
#include "rewrite/supersede.h"

namespace ccgraph {

namespace {

bool isContiguous(const Node &value) {
  return value.type() && value.type()->isTensor() && value.type()->isContiguous();
}

std::optional<RegionObstacle> obstacleOf(RegionFacts &facts, const Node &launch) {
  if (!isPlainCall(launch))
    return RegionObstacle::Arguments;
  if (facts.bitwise() && mayReassociate(launch))
    return RegionObstacle::Bitwise;
  if (!inputBytes(launch) || !outputBytes(launch))
    return RegionObstacle::UnknownSize;
  if (!isContiguous(*launch.operand(0)) || !isContiguous(launch))
    return RegionObstacle::Strided;
  return onlyWait(launch)->type() == launch.type() ? std::nullopt : std::optional(RegionObstacle::Type);
}

} // namespace

std::optional<RegionObstacle> commonObstacle(RegionFacts &facts, const ExchangeRegion &region) {
  if (!facts.spmd())
    return RegionObstacle::NotSpmd;
  for (const Node *launch : region.launches)
    if (std::optional<RegionObstacle> obstacle = obstacleOf(facts, *launch))
      return obstacle;
  // All other values of a region have one reader, which leaves their shape.
  if (facts.isReshaped(*region.input) || facts.isReshaped(*region.result))
    return RegionObstacle::Reshaped;
  bool ordered =
      hasOrdering(*region.result) || llvm::any_of(region.gone, [](Node *node) { return hasOrdering(*node); });
  return ordered ? std::optional(RegionObstacle::Ordered) : std::nullopt;
}

namespace {

/// Returns the rows of the part that a step takes of its operand along dimension 0; empty if it takes no such part.
std::optional<int64_t> partRows(const Node &reader) {
  llvm::StringRef target = reader.target().str();
  bool takes = target == "aten.slice.Tensor" || target == "aten.narrow.default" || target == "aten.split.Tensor" ||
               target == "aten.split_with_sizes.default" || target == "aten.chunk.default";
  if (!takes)
    return std::nullopt;
  const Node *part = &reader;
  if (!reader.type() || !reader.type()->isTensor())
    part = onlyReader(reader);
  bool known = part && part->type() && part->type()->isTensor() && !part->type()->sizes().empty() &&
               part->type()->sizes()[0].isStatic();
  return known ? std::optional(part->type()->sizes()[0].value()) : std::nullopt;
}

} // namespace

bool takesOnePart(RegionFacts &facts, const Node &launch) {
  if (!isFunctional(launch, CollectiveKind::AllGather) && !isFunctional(launch, CollectiveKind::AllReduce))
    return false;
  const Node *wait = onlyWait(launch);
  const Node *reader = wait ? onlyReader(*wait) : nullptr;
  const Type *type = wait ? wait->type() : nullptr;
  if (!reader || !type || !type->isTensor() || type->sizes().empty() || !type->sizes()[0].isStatic())
    return false;
  std::optional<int64_t> rows = partRows(*reader), ranks = facts.ranks(launch);
  return rows && ranks && *ranks > 1 && *rows * *ranks == type->sizes()[0].value();
}

} // namespace ccgraph
