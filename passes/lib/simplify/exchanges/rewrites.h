// The rewrites of simplify-collectives, one file each.
//
// Each rewrite has three parts: `match` finds a region of its form around a launch, `obstacle` returns why it may not
// be replaced, and `build` replaces it. A region is the same for all ranks, because it depends on the text alone.
//
// Ownership: regions refer to nodes of the graph. Failure: an obstacle, not an error. Cost: the readers of the nodes of
// the region; see RegionFacts.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "simplify/exchanges/region_facts.h"

namespace ccgraph {

/// Why a region stays as it is.
enum class RegionObstacle : uint8_t {
  /// other ranks run other programs
  NotSpmd,
  /// a launch has keyword arguments, or arguments beyond its schema
  Arguments,
  /// results must be bitwise equal, and a sum may be added in another order
  Bitwise,
  /// a size is unknown
  UnknownSize,
  /// a value that is sent, or a result, is not contiguous
  Strided,
  /// a node besides the launch that remains is ordered before or after another
  Ordered,
  /// the input is written, so it may have changed where the new nodes read it
  Written,
  /// the input, or the result, is reshaped in place
  Reshaped,
  /// an opaque step is between the nodes
  Opaque,
  /// a wait, or the result, has another stated type than the new nodes would return
  Type,
  /// the memory budget
  OverBudget,
  /// the new nodes are predicted to take longer
  Slower,
};
inline constexpr size_t numRegionObstacles = static_cast<size_t>(RegionObstacle::Slower) + 1;

/// Returns the obstacles that all rewrites share: the form, the sizes and the ordering edges of the region's nodes.
[[nodiscard]] std::optional<RegionObstacle> commonObstacle(RegionFacts &facts, const ExchangeRegion &region);

/// s = reduce_scatter(x); t = wait(s); g = all_gather(t); v = wait(g)  ->  c = all_reduce(x); v = wait(c)
[[nodiscard]] std::optional<ExchangeRegion> matchScatterThenGather(RegionFacts &facts, Node *launch);
[[nodiscard]] std::optional<RegionObstacle> scatterThenGatherObstacle(RegionFacts &facts, const ExchangeRegion &region);
void buildAllReduce(Graph &graph, RegionFacts &facts, const ExchangeRegion &region, RuleEntry &entry);

/// Rewrites that return the input. On one rank:      c = f(x); v = wait(c)  ->  x
/// If x is equal on all ranks, with min, max, and, or:  c = all_reduce(x); v = wait(c)  ->  x;  the same for broadcast
/// Two exchanges that cancel:
///   a = all_to_all(x); b = wait(a); c = all_to_all(b); v = wait(c)               ->  x
///   a = all_gather(x); b = wait(a); c = reduce_scatter(b, "max"); v = wait(c)    ->  x
/// A copy of x takes the place of v if a step could notice that v and x share memory.
[[nodiscard]] std::optional<ExchangeRegion> matchOneRank(RegionFacts &facts, Node *launch);
[[nodiscard]] std::optional<ExchangeRegion> matchReplicated(RegionFacts &facts, Node *launch);
[[nodiscard]] std::optional<ExchangeRegion> matchInverse(RegionFacts &facts, Node *launch);
[[nodiscard]] std::optional<RegionObstacle> forwardObstacle(RegionFacts &facts, const ExchangeRegion &region);
void buildForward(Graph &graph, RegionFacts &facts, const ExchangeRegion &region, RuleEntry &entry);

/// The smaller dtype is sent; f is an all_gather, an all_to_all or a broadcast:
///   n = to(x, wide); c = f(n); v = wait(c)      ->  c = f(x); w = wait(c); v = to(w, wide)
///   c = f(x); w = wait(c); v = to(w, narrow)    ->  n = to(x, narrow); c = f(n); v = wait(c)
[[nodiscard]] std::optional<ExchangeRegion> matchCastBefore(RegionFacts &facts, Node *launch);
[[nodiscard]] std::optional<RegionObstacle> castBeforeObstacle(RegionFacts &facts, const ExchangeRegion &region);
void buildCastAfter(Graph &graph, RegionFacts &facts, const ExchangeRegion &region, RuleEntry &entry);
[[nodiscard]] std::optional<ExchangeRegion> matchCastAfter(RegionFacts &facts, Node *launch);
[[nodiscard]] std::optional<RegionObstacle> castAfterObstacle(RegionFacts &facts, const ExchangeRegion &region);
void buildCastBefore(Graph &graph, RegionFacts &facts, const ExchangeRegion &region, RuleEntry &entry);

/// Returns true if the result of the launch is read by one step alone, which takes one of as many equal parts as the
/// group has ranks, at a literal offset.
[[nodiscard]] bool takesOnePart(RegionFacts &facts, const Node &launch);

} // namespace ccgraph
