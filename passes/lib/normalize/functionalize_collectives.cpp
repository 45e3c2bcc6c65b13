// functionalize-collectives: w = wait(all_reduce_(x, "sum", "tp"))  ->  w = wait(all_reduce(x, "sum", "tp"))
//                            l = wait_tensors([a, b]); x = l[0]     ->  x = wait_tensor(a); wait_tensor(b)
//
// Programs spell a collective in many ways: in place, into a buffer, with ranks instead of a name, by the autograd
// namespace. The passes that come merge and move functional ones, so everything that means the same is spelled so.
#include "ccgraph/ir/effects.h"
#include "ccgraph/passes/registry.h"

#include "normalize/functional/buffer_names.h"
#include "normalize/functional/functional_call.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph {

namespace {

class FunctionalizeCollectives final : public Pass {
public:
  FunctionalizeCollectives()
      : Pass({"functionalize-collectives",
              "Spells collectives of older, autograd, in-place and out forms as functional ones, and a wait on a list "
              "as one for each element.",
              Phase::Normalize}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<FunctionalizeCollectives>(); }

private:
  Statistic rewritten_{*this, "rewritten", "collectives and waits that are spelled as functional ones now"};
  Statistic apart_{*this, "apart", "waits on lists that became a wait for each element"};
  Reason single_{*this, RemarkKind::Rewritten, "apart", "became a wait for each of its `elements`"};
  Reason whole_{*this, RemarkKind::Missed, "whole-list",
                "its list is used as a whole, an element has another type than the value, or a tensor may be reshaped "
                "in place before it is named"};
  Reason done_{*this, RemarkKind::Rewritten, "functional", "became `call`"};
  Reason group_{*this, RemarkKind::Missed, "group",
                "no group of the table, or more than one, has the ranks that it names: --groups gives them names"};
  Reason splits_{*this, RemarkKind::Missed, "splits",
                 "it leaves its splits out, and its rows are not known to divide among the ranks"};
  Reason arguments_{*this, RemarkKind::Missed, "arguments",
                    "it has arguments that the functional form has no place for"};
  Reason synchronous_{*this, RemarkKind::Missed, "synchronous", "it is finished when it returns, without a wait"};
  Reason seen_{*this, RemarkKind::Missed, "seen",
               "it writes an input, or a buffer that is read later by another name than its result's"};
  Reason part_{*this, RemarkKind::Missed, "part",
               "it writes a part of a buffer, or one with gaps, where a functional one makes a whole one"};

  Reason typed_{*this, RemarkKind::Missed, "typed",
                "the functional form would yield another type than it is stated to"};

  const Reason &reasonOf(NotFunctional why) const;
  const Reason *obstacle(const Node &node, const FunctionalCall &call, const BufferNames &names) const;
  void rewrite(Graph &graph, Node *node, PassContext &context);
  void takeApart(Graph &graph, Node *list, const std::vector<std::vector<Node *>> &readers, PassContext &context);
};

const Reason &FunctionalizeCollectives::reasonOf(NotFunctional why) const {
  switch (why) {
  case NotFunctional::Group:
    return group_;
  case NotFunctional::Splits:
    return splits_;
  case NotFunctional::Arguments:
    return arguments_;
  case NotFunctional::Synchronous:
    break;
  }
  return synchronous_;
}

const Reason *FunctionalizeCollectives::obstacle(const Node &node, const FunctionalCall &call,
                                                 const BufferNames &names) const {
  llvm::SmallDenseSet<const Node *, 4> written;
  for (const Node *tensor : call.written) {
    if (!written.insert(tensor).second)
      return &seen_;
    BufferNames::Verdict verdict = names.of(*tensor, node);
    if (verdict != BufferNames::Verdict::Private)
      return verdict == BufferNames::Verdict::Part ? &part_ : &seen_;
  }
  return nullptr;
}

/// Because a buffer may have another shape than what a functional collective makes.
bool yieldsItsType(const Node &call) {
  llvm::Expected<const Type *> made = call.op()->shape ? call.op()->shape(call) : nullptr;
  if (!made)
    return llvm::consumeError(made.takeError()), false;
  return !*made || !call.type() || *made == call.type();
}

void FunctionalizeCollectives::rewrite(Graph &graph, Node *node, PassContext &context) {
  auto call = std::get<FunctionalCall>(functionalCallOf(*node));
  std::string name = node->name().str().str();
  NodeSpec spec;
  spec.name = name;
  spec.target = graph.context().identifier(call.target);
  spec.type = node->type();
  spec.frame = node->frame();
  spec.provenance = &node->provenance();
  ArgumentBuilder builder(graph);
  std::vector<Argument> args;
  for (const Actual &actual : call.args)
    args.push_back(actual.build(builder));
  Node *built = graph.create(spec, std::move(builder), Arguments{args, {}}, node);
  if (!call.written.empty() && !yieldsItsType(*built)) {
    context.remark(typed_, *node);
    graph.erase(built);
    return;
  }
  for (unsigned i = 0; i < node->numOrdering(); ++i)
    graph.addOrdering(built, node->ordering(i));
  graph.replaceAllUses(node, built);
  context.remark(done_, *node, {{"call", call.target}});
  context.certificate().rules.push_back({"functional-form", {node}, {built}});
  graph.erase(node);
  graph.rename(built, name);
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

/// Empty where the list is not one of values that getitems alone read, each with the type of the value. Where tensors are
/// reshaped in place, a getitem may not say its element's shape from another place.
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
    for (unsigned k = 0; k < list->numOrdering(); ++k)
      graph.addOrdering(wait, list->ordering(k));
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
  std::vector<const Node *> opaque; ///< what may do anything, reshape a tensor too
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
  // Because what a buffer is asked for must hold of the program as it was, all calls are judged before the first one
  // goes; and because the first may be an operand of the next, each call is made out anew.
  std::vector<Node *> accepted;
  for (Node *node : candidates) {
    auto call = functionalCallOf(*node);
    const Reason *reason = std::holds_alternative<NotFunctional>(call)
                               ? &reasonOf(std::get<NotFunctional>(call))
                               : obstacle(*node, std::get<FunctionalCall>(call), names);
    if (reason)
      context.remark(*reason, *node);
    else
      accepted.push_back(node);
  }
  for (Node *node : accepted)
    rewrite(graph, node, context);
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
