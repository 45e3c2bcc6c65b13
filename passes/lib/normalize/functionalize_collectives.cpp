// functionalize-collectives: w = wait(all_reduce_(x, "sum", "tp"))  ->  w = wait(all_reduce(x, "sum", "tp"))
//                            l = wait_tensors([a, b]); x = l[0]     ->  x = wait_tensor(a); wait_tensor(b)
//                            y = c10d.allreduce_([x], pg, op)[0][0] ->  y = wait(all_reduce(x, "sum", "tp"))
//                            c10d.allreduce_([input], pg, op)       ->  copy_(input, wait(all_reduce(input, ...)))
//                            y = shard_dim_alltoall(x, 0, 1, "tp")  ->  cat(wait(all_to_all_single(cat(slices of x))))
//
// Programs write a collective in many forms: in place, into a buffer, with ranks instead of a name, in the autograd
// namespace, complete when the operator returns. The later passes merge and move functional forms, so all forms of the
// same meaning are rewritten to these.
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/type_inference.h"
#include "ccgraph/passes/registry.h"

#include "analysis/buffer_names.h"
#include "analysis/program_facts.h"
#include "normalize/functional/finished_call.h"
#include "normalize/functional/shard_dim.h"
#include "rewrite/supersede.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph {

namespace {

/// A call that becomes functional.
struct Accepted {
  Node *node;
  /// numbers of the buffers into which its result is copied (FinishedCall)
  std::vector<unsigned> copiedBack;
};

class FunctionalizeCollectives final : public Pass {
public:
  FunctionalizeCollectives()
      : Pass({"functionalize-collectives",
              "Rewrites collectives of older, autograd, in-place and out forms as functional collectives. A "
              "synchronous form becomes a launch and a wait; a wait on a list becomes a wait for each element.",
              Phase::Normalize}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<FunctionalizeCollectives>(); }

private:
  Statistic rewritten_{*this, "rewritten", "collectives and waits rewritten in functional form"};
  Statistic forwarded_{*this, "forwarded",
                       "waits of wrapped tensors removed, since another wait completes the same collective"};
  Statistic apart_{*this, "apart", "waits on lists split into a wait for each element"};
  Reason single_{*this, RemarkKind::Rewritten, "split", "became a wait for each of its `elements`"};
  Reason whole_{*this, RemarkKind::Missed, "whole-list",
                "its list has a user that takes the whole list, an element has another type than the value, or a "
                "tensor may be reshaped in place before its element is taken"};
  Reason done_{*this, RemarkKind::Rewritten, "functional", "became `call`"};
  Reason group_{*this, RemarkKind::Missed, "group",
                "not exactly one group of the table has the ranks that it lists: give the groups with --groups"};
  Reason groupObject_{*this, RemarkKind::Missed, "group-object",
                      "its group is an object of unknown meaning: define it under `constants` in the file of --groups"};
  Reason splits_{*this, RemarkKind::Missed, "splits",
                 "it has no splits, and its rows are not known to divide evenly among the ranks"};
  Reason arguments_{*this, RemarkKind::Missed, "arguments",
                    "it has arguments that the functional form does not accept"};
  Reason waited_{*this, RemarkKind::Rewritten, "launch-and-wait", "became `call` and a wait on its result"};
  Reason copied_{
      *this, RemarkKind::Rewritten, "copied-back",
      "became `call`, a wait on its result, and a copy into each buffer that the caller or a later node reads"};
  Reason reduction_{
      *this, RemarkKind::Missed, "reduction",
      "its reduction is an object of unknown meaning: define it under `constants` in the file of --groups"};
  Reason kind_{*this, RemarkKind::Missed, "unsupported-kind", "PyTorch has no functional operator of this kind"};
  Reason sizes_{*this, RemarkKind::Missed, "sizes",
                "the sizes of its tensors are unknown, or no functional operator has such inputs and results"};
  Reason reshaped_{
      *this, RemarkKind::Missed, "reshaped",
      "one of its tensors may be reshaped in place, so its type does not determine what is sent or received"};
  Reason handle_{*this, RemarkKind::Missed, "handle",
                 "its Work object, or a list that it returns, has a user that takes the whole object"};
  Reason notSpmd_{
      *this, RemarkKind::Missed, "not-spmd",
      "ranks run different graphs; another rank may keep the old form, and a backend may not match the two forms"};
  Reason seen_{
      *this, RemarkKind::Missed, "aliased-buffer",
      "it writes an input, or a buffer that is read later through an alias, or two buffers that may share memory"};
  Reason part_{
      *this, RemarkKind::Missed, "partial-write",
      "it writes part of a buffer, or a non-dense buffer; a functional collective returns a whole dense tensor"};

  Reason typed_{*this, RemarkKind::Missed, "type-mismatch",
                "the functional form returns another type than the graph states"};

  const Reason &reasonOf(NotFunctional why) const;
  const Reason *obstacle(const Node &node, llvm::ArrayRef<Node *> written, const BufferNames &names) const;
  const Reason *obstacle(const Node &node, const BufferNames &names, PassContext &context) const;
  const Reason *obstacleToWait(const Node &node, const BufferNames &names, PassContext &context) const;
  const Reason *obstacleToFilling(const FinishedCall &call, const Node &node, const BufferNames &names) const;
  void forwardWaits(Graph &graph, const FinishedCall &call, PassContext &context);
  void rewriteFinished(Graph &graph, const Accepted &accepted, PassContext &context);
  void rewrite(Graph &graph, Node *node, PassContext &context);
  void takeApart(Graph &graph, Node *list, const std::vector<std::vector<Node *>> &readers, PassContext &context);
};

const Reason &FunctionalizeCollectives::reasonOf(NotFunctional why) const {
  switch (why) {
  case NotFunctional::Group:
    return group_;
  case NotFunctional::GroupObject:
    return groupObject_;
  case NotFunctional::Splits:
    return splits_;
  case NotFunctional::Arguments:
    return arguments_;
  case NotFunctional::Reduction:
    return reduction_;
  case NotFunctional::Kind:
    return kind_;
  case NotFunctional::Sizes:
    return sizes_;
  case NotFunctional::Handle:
    return handle_;
  }
  llvm_unreachable("all reasons are named");
}

const Reason *FunctionalizeCollectives::obstacle(const Node &node, llvm::ArrayRef<Node *> written,
                                                 const BufferNames &names) const {
  llvm::SmallDenseSet<const Node *, 4> known;
  for (const Node *tensor : written) {
    if (!known.insert(tensor).second)
      return &seen_;
    BufferNames::Verdict verdict = names.of(*tensor, node);
    if (verdict != BufferNames::Verdict::Private)
      return verdict == BufferNames::Verdict::Part ? &part_ : &seen_;
  }
  return nullptr;
}

/// Returns the numbers of the buffers that are read by another name than the results of the call.
static std::vector<unsigned> seenBuffers(const Node &node, const BufferNames &names, PassContext &context) {
  auto call = finishedCallOf(node, context.objects());
  std::vector<unsigned> seen;
  if (const auto *finished = std::get_if<FinishedCall>(&call))
    for (unsigned i = 0; i < finished->filled.size(); ++i)
      if (names.of(*finished->filled[i], node) == BufferNames::Verdict::Seen)
        seen.push_back(i);
  return seen;
}

/// The buffers are filled one after the other, so no two of them may share memory.
const Reason *FunctionalizeCollectives::obstacleToFilling(const FinishedCall &call, const Node &node,
                                                          const BufferNames &names) const {
  auto isPart = [&](const Node *tensor) { return names.of(*tensor, node) == BufferNames::Verdict::Part; };
  return llvm::any_of(call.filled, isPart) ? &part_ : names.areApart(call.filled) ? nullptr : &seen_;
}

static bool mayBeReshaped(const Node &node, const ProgramFacts &facts) {
  return facts.isReshaped(&node) ||
         llvm::any_of(node.dataOperands(), [&](const Node *operand) { return facts.isReshaped(operand); });
}

const Reason *FunctionalizeCollectives::obstacleToWait(const Node &node, const BufferNames &names,
                                                       PassContext &context) const {
  if (!context.spmd())
    return &notSpmd_;
  if (mayBeReshaped(node, context.analyses().facts()))
    return &reshaped_;
  if (collectiveOf(node)->kind == CollectiveKind::ShardDimAllToAll)
    return shardDimOf(node) ? nullptr : &sizes_;
  auto call = finishedCallOf(node, context.objects());
  if (auto *why = std::get_if<NotFunctional>(&call))
    return &reasonOf(*why);
  return obstacleToFilling(std::get<FinishedCall>(call), node, names);
}

const Reason *FunctionalizeCollectives::obstacle(const Node &node, const BufferNames &names,
                                                 PassContext &context) const {
  if (isFinished(node))
    return obstacleToWait(node, names, context);
  auto call = functionalCallOf(node);
  if (auto *why = std::get_if<NotFunctional>(&call))
    return &reasonOf(*why);
  return obstacle(node, std::get<FunctionalCall>(call).written, names);
}

/// Returns the waits on one element in a trace of wrapped tensors.
llvm::SmallVector<Node *, 1> waitsOn(const Node &element) {
  llvm::SmallVector<Node *, 1> waits;
  for (const Use &use : element.uses())
    if (!use.isOrdering() && use.user()->numOrdering() == 0 && use.user()->type() == element.type() &&
        use.user()->target().str() == "torch.distributed._spmd.comm_tensor._wait_comm")
      waits.push_back(use.user());
  return waits;
}

// The result of such a call is complete, so these waits pass it on.
void FunctionalizeCollectives::forwardWaits(Graph &graph, const FinishedCall &call, PassContext &context) {
  for (const FinishedCall::Element &element : call.elements)
    for (Node *wait : waitsOn(*element.getItem)) {
      graph.replaceAllUses(wait, element.getItem);
      graph.erase(wait);
      context.certificate().removed.push_back({RemovedReason::Forwarded, wait, element.getItem});
      ++forwarded_;
    }
}

void FunctionalizeCollectives::rewriteFinished(Graph &graph, const Accepted &accepted, PassContext &context) {
  Node *node = accepted.node;
  Node *launch = nullptr;
  if (std::optional<ShardDim> dims = shardDimOf(*node)) {
    launch = buildShardDim(graph, node, *dims, context.certificate());
  } else {
    auto call = std::get<FinishedCall>(finishedCallOf(*node, context.objects()));
    call.copiedBack = accepted.copiedBack;
    forwardWaits(graph, call, context);
    launch = buildFinishedCall(graph, node, call, context.certificate());
  }
  context.remark(accepted.copiedBack.empty() ? waited_ : copied_, *node, {{"call", launch->target().str().str()}});
  ++rewritten_;
}

/// A buffer may have another shape than the result of a functional collective.
bool yieldsItsType(const Node &call) {
  llvm::Expected<const Type *> made = certainType(call);
  if (!made)
    return llvm::consumeError(made.takeError()), false;
  return !*made || !call.type() || *made == call.type();
}

void FunctionalizeCollectives::rewrite(Graph &graph, Node *node, PassContext &context) {
  auto call = std::get<FunctionalCall>(functionalCallOf(*node));
  Node *built = callBefore(graph, node, call.target, call.args);
  if (!call.written.empty() && !yieldsItsType(*built)) {
    context.remark(typed_, *node);
    graph.erase(built);
    return;
  }
  context.remark(done_, *node, {{"call", call.target}});
  context.certificate().rules.push_back({"functional-form", {node}, {built}});
  supersede(graph, node, built);
  ++rewritten_;
}

bool isListWait(const Node &node) { return node.target().str() == "_c10d_functional.wait_tensors.default"; }

/// The getitems of each element.
using Readers = std::vector<std::vector<Node *>>;

bool isListOfValues(const Node &list) {
  return list.args().size() == 1 && list.kwargs().empty() && list.numOperands() > 0 &&
         llvm::all_of(list.args()[0].elements(),
                      [](const Argument &element) { return element.is(Argument::Kind::Operand); }) &&
         list.args()[0].elements().size() == list.numOperands();
}

/// Returns the readers of each element. Empty unless the elements are values that only getitems read, each with the
/// type of the value. Also empty if tensors are reshaped in place, since a getitem's type may then differ from its
/// element's type at another position.
std::optional<Readers> readersOf(const Node &list, llvm::ArrayRef<const Node *> opaque) {
  if (!isListOfValues(list) || list.graph()->mayReshape())
    return std::nullopt;
  const Node *const *below = llvm::partition_point(opaque, [&](const Node *node) { return node->isBefore(&list); });
  Readers readers(list.numOperands());
  for (const Use &use : list.uses()) {
    std::optional<int64_t> index = use.isOrdering() ? std::nullopt : getItemIndex(*use.user());
    if (!index || *index >= static_cast<int64_t>(readers.size()) || use.user()->numOrdering() != 0)
      return std::nullopt;
    if (use.user()->type() != list.operand(static_cast<unsigned>(*index))->type() ||
        (below != opaque.end() && (*below)->isBefore(use.user())))
      return std::nullopt;
    readers[static_cast<size_t>(*index)].push_back(use.user());
  }
  return readers;
}

void FunctionalizeCollectives::takeApart(Graph &graph, Node *list, const Readers &readers, PassContext &context) {
  RuleEntry entry{"waits-apart", {list}, {}};
  for (unsigned i = 0; i < list->numOperands(); ++i) {
    Node *value = list->operand(i);
    NodeSpec spec;
    spec.name = list->name().str();
    spec.target = graph.context().identifier("_c10d_functional.wait_tensor.default");
    spec.type = value->type();
    spec.frame = list->frame();
    spec.provenance = &list->provenance();
    ArgumentBuilder builder(graph);
    Argument argument = builder.operand(value);
    Node *wait = graph.create(spec, std::move(builder), Arguments{argument, {}}, list);
    copyOrdering(graph, *list, wait);
    entry.built.push_back(wait);
  }
  for (unsigned i = 0; i < list->numOperands(); ++i)
    for (Node *reader : readers[i]) {
      std::string name = reader->name().str().str();
      graph.replaceAllUses(reader, entry.built[i]);
      graph.erase(reader);
      if (reader == readers[i].front())
        graph.rename(entry.built[i], name);
      entry.matched.push_back(reader);
    }
  context.remark(single_, *list, {{"elements", std::to_string(entry.built.size())}});
  graph.erase(list);
  context.certificate().rules.push_back(std::move(entry));
  ++apart_;
}

llvm::Expected<Changed> FunctionalizeCollectives::run(Graph &graph, PassContext &context) {
  std::vector<Node *> candidates;
  std::vector<Node *> lists;
  std::vector<const Node *> opaque; ///< nodes with arbitrary effects, or that reshape a tensor
  for (Node *node : graph) {
    if (node->op() && (node->op()->opaque || effectsOf(*node).domain == Domain::All))
      opaque.push_back(node);
    if (isListWait(*node))
      lists.push_back(node);
    else if (!isFunctional(*node))
      candidates.push_back(node);
  }
  if (candidates.empty() && lists.empty())
    return Changed::No;
  BufferNames names(context.analyses().storages(), graph);
  // The conditions on a buffer must hold in the original graph, so all calls are judged before the first rewrite. The
  // first call may be an operand of the next, so each new call is computed again.
  std::vector<Accepted> accepted;
  for (Node *node : candidates)
    if (const Reason *reason = obstacle(*node, names, context))
      context.remark(*reason, *node);
    else
      accepted.push_back({node, isFinished(*node) ? seenBuffers(*node, names, context) : std::vector<unsigned>()});
  for (const Accepted &call : accepted)
    isFinished(*call.node) ? rewriteFinished(graph, call, context) : rewrite(graph, call.node, context);
  for (Node *list : lists)
    if (std::optional<Readers> readers = readersOf(*list, opaque))
      takeApart(graph, list, *readers, context);
    else
      context.remark(whole_, *list);
  return rewritten_.value() + apart_.value() == 0 ? Changed::No : Changed::Yes;
}

} // namespace

std::unique_ptr<Pass> createFunctionalizeCollectives() { return std::make_unique<FunctionalizeCollectives>(); }

} // namespace ccgraph
