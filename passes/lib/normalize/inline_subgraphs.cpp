// inline-subgraphs: y = invoke_subgraph(body, "layer", x); z = y[0]  ->  the nodes of the body, and z is its result
//
// torch.compile keeps one body for layers that repeat (nested_compile_region). Such a call is one node, so no pass
// moves or merges the collectives in its body. Bodies without collectives stay, since copies of computation make the
// graph larger and give no pass more to do.
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/signature.h"
#include "ccgraph/ir/subgraph_calls.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/passes/registry.h"
#include "normalize/subgraph_results.h"
#include "rewrite/body_copy.h"
#include "rewrite/subgraph_attributes.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

class InlineSubgraphs final : public Pass {
public:
  InlineSubgraphs()
      : Pass(
            {"inline-subgraphs",
             "Replaces each invoke_subgraph whose subgraph contains collectives or waits by the nodes of the subgraph.",
             Phase::Normalize}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<InlineSubgraphs>(); }

private:
  Statistic inlined_{*this, "inlined", "invoke_subgraph calls replaced by the nodes of their subgraph"};
  Statistic nodes_{*this, "nodes", "nodes copied from subgraphs"};
  Reason done_{*this, RemarkKind::Rewritten, "inlined", "replaced by the `nodes` nodes of its subgraph"};
  Reason missing_{*this, RemarkKind::Missed, "missing", "the graph does not contain its subgraph"};
  Reason computation_{*this, RemarkKind::Missed, "computation",
                      "its subgraph contains no collective and no wait, so a copy would only make the graph larger"};
  Reason nested_{*this, RemarkKind::Missed, "nested", "its subgraph has a subgraph or a constant of its own"};
  Reason ordering_{*this, RemarkKind::Missed, "ordering", "its subgraph has ordering edges"};
  Reason arguments_{*this, RemarkKind::Missed, "arguments",
                    "it does not have one argument, a node or a single literal, for each input of its subgraph"};
  Reason results_{
      *this, RemarkKind::Missed, "results",
      "a node uses its list of results otherwise than by an index that is a literal, or the getitem of a result "
      "has ordering edges"};
  Reason literal_{*this, RemarkKind::Missed, "literal", "a result that a node reads is a literal, not a node"};
  Reason types_{*this, RemarkKind::Missed, "types",
                "an argument or a result has another type than in the subgraph, so the types there do not apply"};

  const Reason *obstacle(const Node &call, const Graph *body) const;
  const Reason *obstacle(const SubgraphResults &results) const;
  void inlineCall(Graph &graph, Node *call, PassContext &context, SubgraphAttributes &attributes);
  void inlineBody(Graph &graph, Node *call, const SubgraphResults &results, PassContext &context);
};

bool isInvokeSubgraph(const Node &node) { return node.op() && node.target().str() == "higher_order.invoke_subgraph"; }

/// Returns true if the graph or a subgraph of it contains a collective or a wait.
bool communicates(const Graph &graph) {
  return llvm::any_of(graph, [](const Node *node) { return collectiveOf(*node) || isWait(*node); }) ||
         llvm::any_of(graph.subgraphs(), [](const auto &entry) { return communicates(*entry.second); });
}

bool hasAttributes(const Graph &body) {
  return llvm::any_of(body, [](const Node *node) { return node->opcode() == Opcode::GetAttr; });
}

bool hasOrdering(const Graph &body) {
  return llvm::any_of(body, [](const Node *node) { return node->numOrdering() != 0; });
}

// The first two arguments of an invoke_subgraph are the subgraph and its name.
llvm::ArrayRef<Argument> actualsOf(const Node &call) { return call.args().drop_front(2); }

bool argumentsFit(const Node &call, const Graph &body) {
  if (call.args().size() < 2 || !call.kwargs().empty() || actualsOf(call).size() != placeholdersOf(body).size())
    return false;
  return llvm::none_of(actualsOf(call), [](const Argument &argument) {
    return argument.isSequence() || argument.is(Argument::Kind::Dict);
  });
}

/// Returns why the subgraph cannot be copied to the call, apart from its results.
const Reason *InlineSubgraphs::obstacle(const Node &call, const Graph *body) const {
  if (!body)
    return &missing_;
  if (!communicates(*body))
    return &computation_;
  if (hasAttributes(*body) || !body->subgraphs().empty())
    return &nested_;
  if (hasOrdering(*body))
    return &ordering_;
  return argumentsFit(call, *body) ? nullptr : &arguments_;
}

const Reason *InlineSubgraphs::obstacle(const SubgraphResults &results) const {
  if (!results.areReadOneByOne())
    return &results_;
  if (!results.areNodes())
    return &literal_;
  return results.haveSameTypes() ? nullptr : &types_;
}

/// Gives the copies the ordering edges of the call: each copy follows what the call followed, and precedes what the
/// call preceded.
void moveOrdering(Graph &graph, Node *call, llvm::ArrayRef<Node *> copies) {
  llvm::SmallVector<Node *, 4> followers;
  for (const Use &use : call->uses())
    if (use.isOrdering())
      followers.push_back(use.user());
  for (Node *copy : copies)
    for (Node *earlier : call->orderedAfter())
      graph.addOrdering(copy, earlier);
  for (Node *follower : followers) {
    graph.removeOrdering(follower, call);
    for (Node *copy : copies)
      graph.addOrdering(follower, copy);
  }
}

std::vector<Node *> copyNodes(BodyCopy &copy, const Node &call, const Graph &body) {
  std::vector<Node *> copies;
  const Argument *actual = actualsOf(call).begin();
  for (const Node *inner : body) {
    if (inner->opcode() == Opcode::Placeholder)
      copy.bind(*inner, *actual++);
    else if (inner->opcode() == Opcode::CallFunction)
      copies.push_back(copy.copy(*inner));
  }
  return copies;
}

/// The readers of a result read its value. A value of unknown type takes the type of the result.
void replaceResult(Graph &graph, const SubgraphResults::Result &result, const BodyCopy &copy) {
  Node *reader = graph.byId(result.reader->id());
  if (!reader->hasDataUses())
    return;
  Node *value = copy.valueOf(*result.inner);
  if (!value->type() && result.inner->opcode() != Opcode::Placeholder)
    graph.setType(value, reader->type());
  graph.replaceAllUses(reader, value);
}

void InlineSubgraphs::inlineBody(Graph &graph, Node *call, const SubgraphResults &results, PassContext &context) {
  BodyCopy copy(graph, *call);
  RuleEntry entry{"inline-subgraphs", {call}, copyNodes(copy, *call, results.body())};
  moveOrdering(graph, call, entry.built);
  for (const SubgraphResults::Result &result : results.all()) {
    replaceResult(graph, result, copy);
    if (result.reader == call)
      continue;
    entry.matched.push_back(graph.byId(result.reader->id()));
    graph.erase(entry.matched.back());
  }
  context.remark(done_, *call,
                 {{"subgraph", results.body().name().str()}, {"nodes", std::to_string(entry.built.size())}});
  ++inlined_;
  nodes_ += static_cast<int64_t>(entry.built.size());
  graph.erase(call);
  context.certificate().rules.push_back(std::move(entry));
}

void InlineSubgraphs::inlineCall(Graph &graph, Node *call, PassContext &context, SubgraphAttributes &attributes) {
  SubgraphCalls calls = subgraphCallsOf(*call);
  const Graph *body = calls.bodies.empty() ? nullptr : calls.bodies.front();
  if (const Reason *reason = obstacle(*call, body))
    return context.remark(*reason, *call);
  const SubgraphResults results(*call, *body);
  if (const Reason *reason = obstacle(results))
    return context.remark(*reason, *call);
  Node *attribute = call->operand(call->args().front());
  inlineBody(graph, call, results, context);
  if (attributes.eraseUnused(attribute))
    context.certificate().rules.back().matched.push_back(attribute);
}

llvm::Expected<Changed> InlineSubgraphs::run(Graph &graph, PassContext &context) {
  SubgraphAttributes attributes(graph);
  for (Node *node : graph.nodes())
    if (!node->isErased() && isInvokeSubgraph(*node))
      inlineCall(graph, node, context, attributes);
  if (inlined_.value() == 0)
    return Changed::No;
  // Only the inlined calls show whether they fit their actual arguments. A mismatch is an error of the input.
  if (llvm::Error error = verifyOrError(graph))
    return error;
  return Changed::Yes;
}

} // namespace

std::unique_ptr<Pass> createInlineSubgraphs() { return std::make_unique<InlineSubgraphs>(); }

} // namespace ccgraph
