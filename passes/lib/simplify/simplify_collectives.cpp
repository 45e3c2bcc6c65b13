// simplify-collectives: several collectives, or one with a cast, become fewer, smaller or none.
//
//   reduce_scatter, then all_gather of all of it           ->  all_reduce
//   all_gather, all_to_all or broadcast of a widening cast ->  the cast of the collective
//   a narrowing cast of one of these                       ->  the collective of the cast
//   any collective on one rank                             ->  its input
//   all_reduce (min, max, and, or) or broadcast of a value that is equal on all ranks  ->  its input
//   all_to_all twice with equal splits; all_gather, then reduce_scatter (min, max, and, or)  ->  the input
//
// Each element of a result is computed from the same numbers in the same way, so results are bitwise equal; only the
// sums of the first rewrite may be added in another order by a backend, so --bitwise keeps these over more than two
// ranks. A rank's own part of a result is not recognized: ranks that run one program take it at different offsets,
// which a traced program contains as literals, and the literal of one rank proves nothing about the others.
//   may we      exchanges/obstacles.cpp, and the `obstacle` of each rewrite
//   which       the first rewrite, in the order of the table below, that matches a launch; no node is in two regions
//   do it       the `build` of each rewrite (exchanges/rewrites.h)
#include "ccgraph/ir/builder.h"
#include "ccgraph/passes/registry.h"
#include "rewrite/supersede.h"
#include "simplify/exchanges/rewrites.h"

#include "llvm/ADT/DenseSet.h"

#include <array>

namespace ccgraph {

namespace {

class SimplifyCollectives final : public Pass {
public:
  SimplifyCollectives()
      : Pass(
            {"simplify-collectives",
             "Replaces collectives that cancel, that have nothing to do, or that move a wider dtype than necessary, by "
             "fewer or smaller ones with the same results.",
             Phase::Simplify}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<SimplifyCollectives>(); }

private:
  Statistic rewritten_{*this, "rewritten", "regions rewritten"};
  Statistic removed_{*this, "removed", "collectives fewer than before"};
  Reason oneRank_{*this, RemarkKind::Removed, "one-rank",
                  "its group has one rank, so `by` takes the place of its result"};
  Reason replicated_{*this, RemarkKind::Removed, "replicated",
                     "sends a value that is equal on all ranks, so `by` takes the place of its result"};
  Reason inverse_{*this, RemarkKind::Removed, "inverse",
                  "is undone by `undone-by`, so `by` takes the place of that result"};
  Reason whole_{*this, RemarkKind::Rewritten, "all-reduce",
                "became, with the all_gather `gather` of it, the all_reduce `by`"};
  Reason castAfter_{*this, RemarkKind::Rewritten, "cast-after",
                    "sends `dtype`, and its result is cast instead of its input"};
  Reason castBefore_{*this, RemarkKind::Rewritten, "cast-before",
                     "sends `dtype`, and its input is cast instead of its result"};
  Reason ownPart_{
      *this, RemarkKind::Missed, "own-part",
      "one part of its result is read, at a literal offset: it may be each rank's own part, which the program "
      "of one rank cannot prove"};
  Reason spmd_{*this, RemarkKind::Missed, "not-spmd", "ranks run different graphs, so another rank may keep its part"};
  Reason arguments_{
      *this, RemarkKind::Missed, "arguments",
      "is not called with exactly the positional arguments of its schema, the only call that is rewritten"};
  Reason bitwise_{*this, RemarkKind::Missed, "bitwise",
                  "results must be bitwise equal (--bitwise), and the sum of more than two ranks may be computed in "
                  "another order"};
  Reason size_{*this, RemarkKind::Missed, "unknown-size", "its size is unknown"};
  Reason strided_{*this, RemarkKind::Missed, "strided", "its input or result is not contiguous"};
  Reason ordered_{*this, RemarkKind::Missed, "ordered", "a node that would go has ordering edges"};
  Reason written_{*this, RemarkKind::Missed, "written",
                  "the value that it starts from is written, so the new nodes might read another one"};
  Reason reshaped_{*this, RemarkKind::Missed, "reshaped",
                   "its input or its result may be reshaped in place, so its type does not determine it"};
  Reason opaque_{*this, RemarkKind::Missed, "opaque",
                 "an opaque operator is between the nodes that would go, and may write any value"};
  Reason type_{*this, RemarkKind::Missed, "type-mismatch",
               "its wait, or the value that would take its place, has another stated type"};
  Reason budget_{*this, RemarkKind::Missed, "over-budget",
                 "the new nodes would hold a value for longer, which would exceed the memory budget"};
  Reason slower_{*this, RemarkKind::Missed, "slower",
                 "the cast of its result is predicted to take longer than the smaller transfer saves"};
  friend class Simplifier;
};

std::string nameOf(const Node &node) { return node.name().str().str(); }

std::string dtypeOf(const Node &value) { return shortName(value.type()->dtype()).str(); }

// What a remark says of a region; `by` takes its place.

RemarkArgs sayBy(const ExchangeRegion & /*region*/, const Node &by) { return {{"by", nameOf(by)}}; }

RemarkArgs sayInverse(const ExchangeRegion &region, const Node &by) {
  return {{"undone-by", nameOf(*region.launch)}, {"by", nameOf(by)}};
}

RemarkArgs sayGather(const ExchangeRegion &region, const Node &by) {
  return {{"gather", nameOf(*region.launch)}, {"by", nameOf(by)}};
}

RemarkArgs sayDtypeOfInput(const ExchangeRegion &region, const Node & /*by*/) {
  return {{"dtype", dtypeOf(*region.input)}};
}

RemarkArgs sayDtypeOfCast(const ExchangeRegion &region, const Node & /*by*/) {
  return {{"dtype", dtypeOf(*region.cast)}};
}

/// The replacement of a region.
enum class Replacement : uint8_t { InputOrCast, Collective };

/// One kind of rewrite; see exchanges/rewrites.h.
struct RegionRewrite {
  std::optional<ExchangeRegion> (*match)(RegionFacts &, Node *launch);
  std::optional<RegionObstacle> (*obstacle)(RegionFacts &, const ExchangeRegion &);
  void (*build)(Graph &, RegionFacts &, const ExchangeRegion &, RuleEntry &);
  Replacement replacement;
  const Reason *done;
  RemarkArgs (*say)(const ExchangeRegion &, const Node &by);
  /// The checker derives that a value is equal on all ranks from the value itself, so no other rewrite may replace it.
  bool needsItsInput = false;
};

class Simplifier {
public:
  Simplifier(SimplifyCollectives &pass, Graph &graph, PassContext &context)
      : pass_(pass), graph_(graph), context_(context), facts_(graph, context), rewrites_(table(pass)) {}
  Changed run();

private:
  struct Plan {
    const RegionRewrite *rewrite;
    ExchangeRegion region;
  };
  static std::array<RegionRewrite, 6> table(const SimplifyCollectives &pass);
  void visit(Node *launch);
  [[nodiscard]] bool isTaken(const ExchangeRegion &region) const;
  [[nodiscard]] const Reason &reasonOf(RegionObstacle obstacle) const;
  void apply(const Plan &plan);
  void removeNodes(const ExchangeRegion &region, Node *builtLaunch);

  SimplifyCollectives &pass_;
  Graph &graph_;
  PassContext &context_;
  RegionFacts facts_;
  std::array<RegionRewrite, 6> rewrites_;
  std::vector<Plan> plans_;
  llvm::DenseSet<const Node *> taken_; ///< nodes of planned regions; looked up only
};

std::array<RegionRewrite, 6> Simplifier::table(const SimplifyCollectives &pass) {
  constexpr auto input = Replacement::InputOrCast, collective = Replacement::Collective;
  return {{{matchOneRank, forwardObstacle, buildForward, input, &pass.oneRank_, sayBy},
           {matchReplicated, forwardObstacle, buildForward, input, &pass.replicated_, sayBy, /*needsItsInput=*/true},
           {matchInverse, forwardObstacle, buildForward, input, &pass.inverse_, sayInverse},
           {matchScatterThenGather, scatterThenGatherObstacle, buildAllReduce, collective, &pass.whole_, sayGather},
           {matchCastBefore, castBeforeObstacle, buildCastAfter, collective, &pass.castAfter_, sayDtypeOfInput},
           {matchCastAfter, castAfterObstacle, buildCastBefore, collective, &pass.castBefore_, sayDtypeOfCast}}};
}

const Reason &Simplifier::reasonOf(RegionObstacle obstacle) const {
  const std::array<const Reason *, numRegionObstacles> reasons = {
      &pass_.spmd_,    &pass_.arguments_, &pass_.bitwise_, &pass_.size_, &pass_.strided_, &pass_.ordered_,
      &pass_.written_, &pass_.reshaped_,  &pass_.opaque_,  &pass_.type_, &pass_.budget_,  &pass_.slower_};
  return *reasons[static_cast<size_t>(obstacle)];
}

bool Simplifier::isTaken(const ExchangeRegion &region) const {
  return taken_.contains(region.result) || taken_.contains(region.launch) ||
         llvm::any_of(region.gone, [&](const Node *node) { return taken_.contains(node); });
}

/// Plans the first rewrite that matches and has no obstacle.
void Simplifier::visit(Node *launch) {
  for (const RegionRewrite &rewrite : rewrites_) {
    std::optional<ExchangeRegion> region = rewrite.match(facts_, launch);
    if (!region || isTaken(*region))
      continue;
    if (rewrite.needsItsInput && taken_.contains(region->input))
      continue;
    std::optional<RegionObstacle> obstacle = commonObstacle(facts_, *region);
    if (!obstacle)
      obstacle = rewrite.obstacle(facts_, *region);
    if (obstacle)
      return context_.remark(reasonOf(*obstacle), *launch);
    taken_.insert(region->result);
    taken_.insert(region->launch);
    taken_.insert(region->gone.begin(), region->gone.end());
    plans_.push_back({&rewrite, std::move(*region)});
    return;
  }
  if (takesOnePart(facts_, *launch))
    context_.remark(pass_.ownPart_, *launch);
}

/// Erases the nodes of a region, readers first. A node that was ordered after the launch is ordered after the built
/// one.
void Simplifier::removeNodes(const ExchangeRegion &region, Node *builtLaunch) {
  llvm::SmallVector<Node *, 6> nodes(region.gone.begin(), region.gone.end());
  nodes.push_back(region.launch);
  llvm::sort(nodes, [](const Node *a, const Node *b) { return b->isBefore(a); });
  for (Node *node : nodes) {
    if (node == region.launch && builtLaunch)
      graph_.replaceAllUses(node, builtLaunch);
    graph_.erase(node);
  }
}

void Simplifier::apply(const Plan &plan) {
  const ExchangeRegion &region = plan.region;
  RuleEntry entry{"equal-exchanges", {region.result, region.launch}, {}};
  entry.matched.insert(entry.matched.end(), region.gone.begin(), region.gone.end());
  plan.rewrite->build(graph_, facts_, region, entry);
  Node *value = entry.built.front(), *builtLaunch = nullptr;
  const bool isInput = plan.rewrite->replacement == Replacement::InputOrCast && value == region.first->operand(0);
  if (plan.rewrite->replacement == Replacement::Collective) {
    builtLaunch = *llvm::find_if(entry.built, [](const Node *node) { return collectiveOf(*node) != nullptr; });
    copyOrdering(graph_, *region.launch, builtLaunch);
  }
  if (isInput) {
    graph_.replaceAllUses(region.result, value);
    graph_.erase(region.result);
  } else {
    supersede(graph_, region.result, value);
  }
  const Node &by = builtLaunch ? *builtLaunch : *value;
  context_.remark(*plan.rewrite->done, *region.first, plan.rewrite->say(region, by));
  removeNodes(region, builtLaunch);
  pass_.removed_ += static_cast<int64_t>(region.launches.size()) - (builtLaunch ? 1 : 0);
  context_.certificate().rules.push_back(std::move(entry));
  ++pass_.rewritten_;
}

Changed Simplifier::run() {
  for (Node *node : graph_)
    if (collectiveOf(*node))
      visit(node);
  // Facts and live bytes describe the original graph, so all regions are judged before the first rewrite.
  for (const Plan &plan : plans_)
    apply(plan);
  return plans_.empty() ? Changed::No : Changed::Yes;
}

llvm::Expected<Changed> SimplifyCollectives::run(Graph &graph, PassContext &context) {
  return Simplifier(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createSimplifyCollectives() { return std::make_unique<SimplifyCollectives>(); }

} // namespace ccgraph
