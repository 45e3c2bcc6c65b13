#include "lower/splice.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/subgraph_calls.h"
#include "lower/emitter.h"
#include "rewrite/body_copy.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::lower {
namespace {

bool isWrapper(const Node *node) {
  return node->op() && (node->op()->role == OpRole::ControlDeps || subgraphCallsOf(*node).use == SubgraphUse::Once);
}

/// Returns the subgraph of a wrapper; null if it names none.
const Graph *bodyOf(const Node &wrapper) {
  SubgraphCalls calls = subgraphCallsOf(wrapper);
  return calls.bodies.empty() ? nullptr : calls.bodies.front();
}

llvm::Error refused(const Node &wrapper, const llvm::Twine &message) {
  return loweringError(wrapper, "lower.operator", message,
                       "inline the subgraph, or run the graph with the reference engine");
}

/// Copies one wrapper's body, node by node, before the wrapper.
class Splicer {
public:
  Splicer(Graph &graph, Node &wrapper, const Graph &body)
      : graph_(graph), wrapper_(wrapper), body_(body), copy_(graph, wrapper) {}

  llvm::Error run();

private:
  llvm::Error bindPlaceholders();
  llvm::Error giveResult(const Node &output);
  llvm::Error giveElements(llvm::ArrayRef<Argument> elements, const Node &output);

  Graph &graph_;
  Node &wrapper_;
  const Graph &body_;
  BodyCopy copy_;
};

llvm::Error Splicer::bindPlaceholders() {
  size_t next = 2; // after the dependences and the subgraph, or the subgraph and its name
  for (const Node *inner : body_) {
    if (inner->opcode() != Opcode::Placeholder)
      continue;
    if (next == wrapper_.args().size())
      return refused(wrapper_, "gives its subgraph " + llvm::Twine(next - 2) + " arguments, and it takes more");
    copy_.bind(*inner, wrapper_.args()[next++]);
  }
  return llvm::Error::success();
}

/// Elements of the wrapper's result are those of the list that the body returns.
llvm::Error Splicer::giveElements(llvm::ArrayRef<Argument> elements, const Node &output) {
  llvm::SmallVector<Node *, 8> users;
  for (const Use &use : wrapper_.uses())
    if (!use.isOrdering())
      users.push_back(use.user());
  for (Node *user : users) {
    std::optional<int64_t> index = getItemIndex(*user);
    bool there = index && *index < static_cast<int64_t>(elements.size());
    const Argument *element = there ? &elements[static_cast<size_t>(*index)] : nullptr;
    if (!element || !element->is(Argument::Kind::Operand) || !copy_.valueOf(*output.operand(*element)))
      return refused(wrapper_, "yields a list of which something else is made than nodes of its subgraph");
    graph_.replaceAllUses(user, copy_.valueOf(*output.operand(*element)));
    graph_.erase(user);
  }
  return llvm::Error::success();
}

llvm::Error Splicer::giveResult(const Node &output) {
  const Argument *result = output.args().empty() ? nullptr : &output.args().front();
  if (result && result->isSequence())
    return giveElements(result->elements(), output);
  if (result && result->is(Argument::Kind::Operand))
    if (Node *node = copy_.valueOf(*output.operand(*result))) {
      graph_.replaceAllUses(&wrapper_, node);
      return llvm::Error::success();
    }
  bool used = llvm::any_of(wrapper_.uses(), [](const Use &use) { return !use.isOrdering(); });
  return used ? refused(wrapper_, "yields what is no node of its subgraph") : llvm::Error::success();
}

llvm::Error Splicer::run() {
  if (llvm::Error error = bindPlaceholders())
    return error;
  for (const Node *inner : body_) {
    if (inner->opcode() == Opcode::Placeholder)
      continue;
    if (inner->opcode() == Opcode::Output)
      return giveResult(*inner);
    if (namedSubgraph(*inner))
      return refused(wrapper_, "runs a subgraph that holds a subgraph of its own");
    copy_.copy(*inner);
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::unique_ptr<Graph>> spliced(const Graph &graph) {
  if (llvm::none_of(graph, isWrapper))
    return nullptr;
  std::unique_ptr<Graph> copy = graph.clone();
  for (Node *node : copy->nodes()) {
    if (!isWrapper(node))
      continue;
    const Graph *body = bodyOf(*node);
    if (!body)
      return refused(*node, "names no subgraph that is here");
    if (llvm::Error error = Splicer(*copy, *node, *body).run())
      return error;
    // The node has no readers left, only ordering edges, which program order satisfies.
    while (node->hasUses()) {
      const Use &use = *node->uses().begin();
      copy->removeOrdering(use.user(), node);
    }
    copy->erase(node);
  }
  return copy;
}

} // namespace ccgraph::lower
