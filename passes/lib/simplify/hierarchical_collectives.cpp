// hierarchical-collectives: a collective over several nodes becomes collectives inside the nodes and across them.
//
//   c = all_reduce(x); ...; w = wait(c)   ->   s = reduce_scatter(x) inside; a = all_reduce(wait(s)) across;
//                                              g = all_gather(wait(a)) inside; ...; w = wait(g)
//
// A ring over all ranks has as many hops as ranks, and a ring inside a node and one across nodes together have far
// fewer. So stages are faster where the latency of many ranks counts: small transfers over many nodes. Large transfers
// are slower in stages, because one ring uses the links of both levels at the same time.
//   may we      the conditions of a bucket in rewrite/candidates.h; here: members that every rank knows, with equally
//               many of them on each node (hierarchy/node_groups.h), and a reduction that may be done in stages
//   which       the form with the shortest predicted time, if it is not longer than the collective (max-longer), and
//               the memory fits
//   do it       hierarchy/stages.cpp; the groups go into the graph's table, equally on all ranks
// A sum in stages adds in another order, so --bitwise keeps floating-point sums unchanged.
#include "ccgraph/passes/registry.h"
#include "rewrite/candidate_search.h"
#include "rewrite/longer.h"
#include "rewrite/spare_memory.h"
#include "rewrite/supersede.h"
#include "simplify/hierarchy/stages.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

class HierarchicalCollectives final : public Pass {
public:
  HierarchicalCollectives()
      : Pass({.name = "hierarchical-collectives",
              .description =
                  "Divides collectives over several nodes into collectives inside the nodes and across them, "
                  "where the cost model predicts that these are faster.",
              .phase = Phase::Simplify,
              .tolerance = 1e-4}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<HierarchicalCollectives>(); }

private:
  Option<Count> maxLonger_{*this, "max-longer", Count{0},
                           "largest predicted slowdown of the stages against the collective, in percent"};
  Statistic staged_{*this, "staged", "collectives divided into stages"};
  Statistic bytes_{*this, "bytes", "bytes of these collectives"};
  Statistic groups_{*this, "groups", "groups added to the table"};
  Reason done_{*this, RemarkKind::Rewritten, "staged",
               "became `stages`, which are predicted to take `staged-ns` in place of `whole-ns`"};
  CandidateReasons obstacles_{
      *this,
      CandidateScope::AnyKind,
      {.done = "divided", .rounding = "a sum in stages adds in another order", .otherRank = "not divide its part"}};
  Reason members_{*this, RemarkKind::Missed, "unknown-members",
                  "its group has no members that every rank knows (give a partition of all ranks with --groups FILE)"};
  Reason broadcast_{*this, RemarkKind::Missed, "broadcast",
                    "a broadcast, whose pieces follow one another from node to node in any case"};
  Reason oneNode_{*this, RemarkKind::Missed, "one-node", "its group is on one node"};
  Reason oneEach_{*this, RemarkKind::Missed, "one-rank-a-node", "its group has one rank on each node"};
  Reason uneven_{*this, RemarkKind::Missed, "uneven-nodes",
                 "its group has more ranks on one node than on another, or spans more nodes for some ranks than for "
                 "others"};
  Reason order_{*this, RemarkKind::Missed, "rank-order",
                "its group does not list the ranks of each node one after the other, so a result in stages would have "
                "another order"};
  Reason reduction_{*this, RemarkKind::Missed, "reduction",
                    "its reduction is an object or an average of integers, which differs in stages"};
  Reason dtype_{*this, RemarkKind::Missed, "dtype",
                "PyTorch's reduce_scatter does not support all values of its dtype"};
  Reason rows_{*this, RemarkKind::Missed, "uneven-elements",
               "its elements do not divide evenly among the ranks of a node, or its splits are not equal"};
  Reason place_{*this, RemarkKind::Missed, "address-observed",
                "its rows do not divide evenly among the ranks of a node, so its result would become a view; but the "
                "result is written, returned, or read by an operator that observes its address"};
  Reason slower_{*this, RemarkKind::Missed, "slower",
                 "the stages are predicted to take `staged-ns`, and the collective `whole-ns`"};
  Reason budget_{*this, RemarkKind::Missed, "over-budget",
                 "what the stages hold besides input and result would exceed the memory budget"};
  friend class Stager;
};

std::string inNanoseconds(int64_t picoseconds) { return std::to_string(picoseconds / 1000); }

/// One run.
class Stager {
public:
  Stager(HierarchicalCollectives &pass, Graph &graph, PassContext &context)
      : pass_(pass), graph_(graph), context_(context), search_(graph, context, pass.obstacles_, {}),
        spare_(graph, context.analyses().facts(), context) {}
  Changed run();

private:
  struct Plan {
    Candidate candidate;
    NodeGroups groups;
    StagedForm form;
    RemarkArgs times;
  };
  const Reason *obstacle(Node *launch, Plan &plan);
  const Reason *groupObstacle(const Node &launch, Plan &plan) const;
  const Reason *reductionObstacle(const Node &launch) const;
  const Reason *sizeObstacle(const Plan &plan) const;
  const Reason *costObstacle(Plan &plan);
  void rewrite(const Plan &plan);
  std::string groupName(const Plan &plan, llvm::ArrayRef<std::vector<int64_t>> cells, llvm::StringRef where);

  HierarchicalCollectives &pass_;
  Graph &graph_;
  PassContext &context_;
  CandidateSearch search_;
  SpareMemory spare_;
};

const Reason *Stager::obstacle(Node *launch, Plan &plan) {
  if (const Reason *reason = search_.find(launch, plan.candidate))
    return reason;
  if (search_.facts().isReshaped(launch->operand(0)))
    return &pass_.obstacles_.of(Obstacle::Reshaped);
  if (const Reason *reason = groupObstacle(*launch, plan))
    return reason;
  if (const Reason *reason = reductionObstacle(*launch))
    return reason;
  if (const Reason *reason = sizeObstacle(plan))
    return reason;
  return costObstacle(plan);
}

const Reason *Stager::groupObstacle(const Node &launch, Plan &plan) const {
  auto found = nodeGroupsOf(graph_, launch, context_.cost().machine().ranksPerNode);
  if (const NodeObstacle *obstacle = std::get_if<NodeObstacle>(&found)) {
    const Reason *reasons[] = {&pass_.members_, &pass_.oneNode_, &pass_.oneEach_, &pass_.uneven_};
    return reasons[static_cast<size_t>(*obstacle)];
  }
  plan.groups = std::move(std::get<NodeGroups>(found));
  std::optional<CollectiveCall> call = collectiveCall(launch);
  if (call->groupSize && *call->groupSize != plan.groups.nodes * plan.groups.ranksOnNode)
    return &pass_.members_;
  // The order of the ranks has no meaning for a reduction of whole values.
  return plan.groups.isNodeMajor || call->spec->kind == CollectiveKind::AllReduce ? nullptr : &pass_.order_;
}

const Reason *Stager::reductionObstacle(const Node &launch) const {
  const CollectiveKind kind = collectiveOf(launch)->kind;
  if (kind != CollectiveKind::AllReduce && kind != CollectiveKind::ReduceScatter)
    return nullptr;
  const DType dtype = launch.type()->dtype();
  std::optional<ReduceOp> op = parseReduceOp(collectiveCall(launch)->reduceOp);
  if (!op || (*op == ReduceOp::Avg && !isFloat(dtype)))
    return &pass_.reduction_;
  return isComplex(dtype) || dtype == DType::Bool ? &pass_.dtype_ : nullptr;
}

const Reason *Stager::sizeObstacle(const Plan &plan) const {
  const Node &launch = *plan.candidate.launch;
  std::optional<CollectiveCall> call = collectiveCall(launch);
  if (call->spec->kind == CollectiveKind::AllToAll) {
    auto equal = [&](const std::optional<std::vector<int64_t>> &splits) {
      return splits && static_cast<int64_t>(splits->size()) == plan.groups.nodes * plan.groups.ranksOnNode &&
             llvm::is_splat(*splits);
    };
    return equal(call->inputSplits) && equal(call->outputSplits) ? nullptr : &pass_.rows_;
  }
  if (call->spec->kind != CollectiveKind::AllReduce)
    return nullptr;
  if (*launch.type()->numElements() % plan.groups.ranksOnNode != 0)
    return &pass_.rows_;
  llvm::ArrayRef<Dim> sizes = launch.type()->sizes();
  const bool byRows = !sizes.empty() && sizes[0].value() % plan.groups.ranksOnNode == 0;
  return byRows || !plan.candidate.copied ? nullptr : &pass_.place_;
}

const Reason *Stager::costObstacle(Plan &plan) {
  Node *launch = plan.candidate.launch, *wait = plan.candidate.wait;
  std::optional<StagedForm> form = fastestForm(plan.candidate, plan.groups, context_.cost());
  if (!form)
    return &pass_.broadcast_;
  plan.form = *form;
  const int64_t whole = context_.cost().estimatedTime(*launch).picoseconds;
  plan.times = {{"whole-ns", inNanoseconds(whole)}, {"staged-ns", inNanoseconds(form->picoseconds)}};
  if (std::optional<int64_t> limit = pass_.maxLonger_.get().limit;
      limit && (percentLonger(whole, form->picoseconds) > *limit || (*limit == 0 && form->picoseconds == whole)))
    return &pass_.slower_;
  if (!spare_.hasRoom(form->extraBytes, launch, wait->next()))
    return &pass_.budget_;
  spare_.take(form->extraBytes, {launch, wait});
  return nullptr;
}

std::string Stager::groupName(const Plan &plan, llvm::ArrayRef<std::vector<int64_t>> cells, llvm::StringRef where) {
  const std::string of = collectiveCall(*plan.candidate.launch)->group.str();
  const size_t known = graph_.groups().groups().size();
  std::string name =
      nameOfGroup(graph_, cells, of + "_" + where.str(), "ranks of group '" + of + "' " + where.str() + " nodes");
  pass_.groups_ += static_cast<int64_t>(graph_.groups().groups().size() - known);
  return name;
}

void Stager::rewrite(const Plan &plan) {
  Node *launch = plan.candidate.launch, *wait = plan.candidate.wait;
  const StagedCall call{plan.candidate, plan.groups, plan.form, groupName(plan, plan.groups.inside, "inside"),
                        groupName(plan, plan.groups.across, "across")};
  BuiltStages built = buildStages(graph_, call);
  for (Node *stage : built.launches)
    copyOrdering(graph_, *launch, stage);
  RuleEntry entry{"staged-exchange", {launch, wait}, {built.result}};
  llvm::append_range(entry.built, built.others);
  RemarkArgs args = plan.times;
  args.insert(args.begin(), {"stages", plan.form.text()});
  context_.remark(pass_.done_, *launch, std::move(args));
  supersede(graph_, wait, built.result);
  // A node that was ordered after the collective relied on all of it.
  graph_.replaceAllUses(launch, built.launches.back());
  graph_.erase(launch);
  context_.certificate().rules.push_back(std::move(entry));
  ++pass_.staged_;
  pass_.bytes_ += plan.candidate.bytes();
}

Changed Stager::run() {
  std::vector<Plan> plans;
  for (Node *node : graph_) {
    if (!collectiveOf(*node))
      continue;
    Plan plan;
    if (const Reason *reason = obstacle(node, plan))
      context_.remark(*reason, *node, std::move(plan.times));
    else
      plans.push_back(std::move(plan));
  }
  // Facts and live bytes describe the original graph, so all collectives are judged before the first rewrite.
  for (const Plan &plan : plans)
    rewrite(plan);
  return plans.empty() ? Changed::No : Changed::Yes;
}

llvm::Expected<Changed> HierarchicalCollectives::run(Graph &graph, PassContext &context) {
  return Stager(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createHierarchicalCollectives() { return std::make_unique<HierarchicalCollectives>(); }

} // namespace ccgraph
