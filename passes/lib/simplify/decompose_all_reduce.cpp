// decompose-all-reduce: c = all_reduce(x); ...; w = wait(c)
//                       ->  s = reduce_scatter(x); t = wait(s); c = all_gather(t); ...; w = wait(c)
//
// An all_reduce is one long collective: later collectives of its group wait for all of it, and its result occupies
// memory from the launch on. As two halves, it lets a more urgent collective run between them, and after the first half
// each rank holds only a share. This pass alone gains nothing, since t directly follows s: it prepares a schedule that
// moves them apart.
//   may we      the conditions of a bucket in rewrite/candidates.h: one tensor of known size, one wait; and here: a
//               group of known size that divides the elements
//   which       where the predicted time of the two is not much longer than that of the one, and the memory fits
//   do it       `rewrite`: by rows if the ranks divide these, else on a flat view of x, and of the result
// Every element is still the sum of the same numbers. The backend may choose another rank and another order for the
// additions, so --bitwise keeps floating-point sums over more than two ranks unchanged.
#include "ccgraph/ir/int_list.h"
#include "ccgraph/passes/registry.h"
#include "rewrite/candidate_search.h"
#include "rewrite/group_sizes.h"
#include "rewrite/longer.h"
#include "rewrite/spare_memory.h"
#include "rewrite/supersede.h"

namespace ccgraph {

namespace {

class DecomposeAllReduce final : public Pass {
public:
  DecomposeAllReduce()
      : Pass({"decompose-all-reduce",
              "Splits each all_reduce into a reduce_scatter and an all_gather, which a schedule can move separately.",
              Phase::Simplify}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<DecomposeAllReduce>(); }

private:
  Option<Count> maxLonger_{*this, "max-longer", Count{50},
                           "largest predicted slowdown of the two collectives against the all_reduce, in percent"};
  Statistic decomposed_{*this, "decomposed", "collectives split in two"};
  Statistic bytes_{*this, "bytes", "bytes of the split collectives"};
  Reason apart_{*this, RemarkKind::Rewritten, "split", "became `scatter` and `gather`"};
  CandidateReasons obstacles_{*this,
                              CandidateScope::AllReduce,
                              {.done = "split",
                               .rounding = "the sum of more than two ranks may be computed in another order",
                               .otherRank = "not split its part"}};
  Reason dtype_{*this, RemarkKind::Missed, "dtype",
                "PyTorch's reduce_scatter or all_gather does not support all values of its dtype"};
  Reason group_{*this, RemarkKind::Missed, "group",
                "its group has one rank, or an unknown number of ranks (give the ranks with --groups FILE)"};
  Reason uneven_{*this, RemarkKind::Missed, "uneven", "its elements do not divide evenly among the `ranks`"};
  Reason place_{*this, RemarkKind::Missed, "address-observed",
                "its rows do not divide evenly among the ranks, so its result would become a view; but the result is "
                "written, returned, or read by an operator that observes its address"};
  Reason slower_{
      *this, RemarkKind::Missed, "slower",
      "the two collectives are predicted to take `percent` percent longer than the all_reduce, more than max-longer"};
  Reason budget_{*this, RemarkKind::Missed, "over-budget",
                 "the shard of each rank, live together with the whole result, would exceed the memory budget"};
  friend class Decomposer;
};

/// One run.
class Decomposer {
public:
  Decomposer(DecomposeAllReduce &pass, Graph &graph, PassContext &context)
      : pass_(pass), graph_(graph), context_(context), search_(graph, context, pass.obstacles_, {}),
        sizes_(graph, search_.groups(), AssumedMembers::Reject), spare_(graph, context.analyses().facts(), context) {}
  Changed run();

private:
  /// The decomposition of one all_reduce.
  struct Decomposition {
    Candidate all;
    int64_t ranks = 0;
    bool byRows = false;
  };
  const Reason *obstacle(Node *launch, Decomposition &decomposition, RemarkArgs &args);
  const Reason *costObstacle(const Decomposition &decomposition, RemarkArgs &args) const;
  bool takeMemory(const Decomposition &decomposition);
  void rewrite(const Decomposition &decomposition);

  DecomposeAllReduce &pass_;
  Graph &graph_;
  PassContext &context_;
  CandidateSearch search_;
  GroupSizes sizes_;
  SpareMemory spare_;
};

const Reason *Decomposer::obstacle(Node *launch, Decomposition &decomposition, RemarkArgs &args) {
  if (const Reason *reason = search_.find(launch, decomposition.all))
    return reason;
  // The type of a tensor that is reshaped at any time is unreliable, and both halves depend on types.
  if (search_.facts().isReshaped(launch->operand(0)))
    return &pass_.obstacles_.of(Obstacle::Reshaped);
  if (DType dtype = launch->type()->dtype(); isComplex(dtype) || dtype == DType::Bool)
    return &pass_.dtype_;
  std::optional<int64_t> ranks = sizes_.of(*launch);
  if (!ranks || *ranks < 2)
    return &pass_.group_;
  decomposition.ranks = *ranks;
  if (*launch->type()->numElements() % decomposition.ranks != 0) {
    args = {{"ranks", std::to_string(decomposition.ranks)}};
    return &pass_.uneven_;
  }
  llvm::ArrayRef<Dim> sizes = launch->type()->sizes();
  decomposition.byRows = !sizes.empty() && sizes[0].value() % decomposition.ranks == 0;
  if (!decomposition.byRows && decomposition.all.copied)
    return &pass_.place_;
  if (const Reason *reason = costObstacle(decomposition, args))
    return reason;
  return takeMemory(decomposition) ? nullptr : &pass_.budget_;
}

const Reason *Decomposer::costObstacle(const Decomposition &decomposition, RemarkArgs &args) const {
  std::optional<int64_t> limit = pass_.maxLonger_.get().limit;
  if (!limit)
    return nullptr;
  const CostModel &cost = context_.cost();
  Placement placement = cost.placementOf(*decomposition.all.launch);
  int64_t one = cost.estimatedTime(*decomposition.all.launch).picoseconds;
  int64_t two = cost.collective(CollectiveKind::ReduceScatter, decomposition.all.outputBytes, placement) +
                cost.collective(CollectiveKind::AllGather, decomposition.all.outputBytes, placement);
  if (two <= one)
    return nullptr;
  int64_t percent = percentLonger(one, two);
  args = {{"percent", std::to_string(percent)}};
  return percent > *limit ? &pass_.slower_ : nullptr;
}

/// Each rank's share lives until the wait on the gather, besides the whole result. The input lives only to the first of
/// the two waits.
bool Decomposer::takeMemory(const Decomposition &decomposition) {
  Node *launch = decomposition.all.launch, *wait = decomposition.all.wait;
  // The rewrite frees the input at the first of the two waits, and the share is smaller.
  if (spare_.waitFreesInput(launch, wait))
    return true;
  int64_t share = decomposition.all.outputBytes / decomposition.ranks;
  if (!spare_.hasRoom(share, launch, wait->next()))
    return false;
  spare_.take(share, {launch, wait});
  return true;
}

void Decomposer::rewrite(const Decomposition &decomposition) {
  Node *launch = decomposition.all.launch, *wait = decomposition.all.wait;
  const Type &type = *launch->type();
  IntList sizes = *staticDims(type.sizes());
  Actual group = Actual::copyOf(*launch, launch->args()[2]);

  GraphBuilder begin(graph_, launch);
  begin.standFor({launch});
  Node *sent = launch->operand(0);
  if (!decomposition.byRows)
    sent = begin.call("aten.view.default", {sent, llvm::ArrayRef<int64_t>(*type.numElements())});
  Node *scatter = begin.call(formOf(CollectiveKind::ReduceScatter, CollectiveForm::Single),
                             {sent, Actual::copyOf(*launch, launch->args()[1]), decomposition.ranks, group});
  Node *share = waitLike(begin, scatter, *wait);
  Node *gather =
      begin.call(formOf(CollectiveKind::AllGather, CollectiveForm::Single), {share, decomposition.ranks, group});
  copyOrdering(graph_, *launch, scatter);
  copyOrdering(graph_, *launch, gather);

  GraphBuilder end(graph_, wait);
  end.standFor({wait});
  Node *result = waitLike(end, gather, *wait);
  if (!decomposition.byRows) {
    copyOrdering(graph_, *wait, result);
    result = end.call("aten.view.default", {result, llvm::ArrayRef<int64_t>(sizes)});
  }
  RuleEntry entry{"exchange-chain", {launch, wait}, {result}};
  for (const GraphBuilder *builder : {&begin, &end})
    llvm::copy_if(builder->made(), std::back_inserter(entry.built), [&](Node *node) { return node != result; });
  context_.remark(pass_.apart_, *launch,
                  {{"scatter", scatter->name().str().str()},
                   {"gather", gather->name().str().str()},
                   {"bytes", std::to_string(decomposition.all.outputBytes)}});
  supersede(graph_, wait, result);
  // A node that was ordered after the all_reduce relied on all of it.
  graph_.replaceAllUses(launch, gather);
  graph_.erase(launch);
  context_.certificate().rules.push_back(std::move(entry));
  ++pass_.decomposed_;
  pass_.bytes_ += decomposition.all.outputBytes;
}

Changed Decomposer::run() {
  std::vector<Decomposition> decompositions;
  for (Node *node : graph_) {
    const CollectiveSpec *spec = collectiveOf(*node);
    if (!spec || spec->kind != CollectiveKind::AllReduce)
      continue;
    Decomposition decomposition;
    RemarkArgs args;
    if (const Reason *reason = obstacle(node, decomposition, args))
      context_.remark(*reason, *node, std::move(args));
    else
      decompositions.push_back(decomposition);
  }
  // Facts and live bytes describe the original graph, so all candidates are judged before the first rewrite.
  for (const Decomposition &decomposition : decompositions)
    rewrite(decomposition);
  return decompositions.empty() ? Changed::No : Changed::Yes;
}

llvm::Expected<Changed> DecomposeAllReduce::run(Graph &graph, PassContext &context) {
  return Decomposer(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createDecomposeAllReduce() { return std::make_unique<DecomposeAllReduce>(); }

} // namespace ccgraph
