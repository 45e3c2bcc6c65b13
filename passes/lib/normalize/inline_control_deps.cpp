// inline-control-deps: control_deps((d, e), subgraph of f, x, y)  ->  f(x, y), ordered after d and
// e
//
// Inductor wraps a call this way after scheduling it, to keep it in place. All analyses here need to see the call;
// ordering edges express the same order.
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/signature.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/passes/registry.h"
#include "rewrite/body_copy.h"
#include "rewrite/subgraph_attributes.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

class InlineControlDeps final : public Pass {
public:
  InlineControlDeps()
      : Pass({"inline-control-deps",
              "Replaces each control_deps by the call in its subgraph, ordered after the dependences of the "
              "control_deps.",
              Phase::Normalize}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<InlineControlDeps>(); }

private:
  Statistic inlined_{*this, "inlined", "control_deps replaced by their call"};
  Statistic edges_{*this, "edges", "ordering edges added"};
  Reason done_{*this, RemarkKind::Rewritten, "inlined", "replaced by the call in its subgraph"};
  Reason body_{*this, RemarkKind::Missed, "body",
               "its subgraph is not a single call whose result is returned: the node stays and is ordered against "
               "everything that it may access"};
  Reason captures_{*this, RemarkKind::Missed, "captures",
                   "the call in its subgraph reads values other than its arguments"};

  const Reason *obstacle(const Node &node, const Node *call) const;
  void inlineCall(Graph &graph, Node *node, PassContext &context, SubgraphAttributes &attributes);
};

const Node *subgraphAttribute(const Node &node) {
  return node.args().size() >= 2 && node.args()[1].is(Argument::Kind::Operand) ? node.operand(node.args()[1]) : nullptr;
}

// Inlines the form that Inductor creates: a body of one call, which reads the body's placeholders and is returned
// unchanged.
//   body(a): c = all_gather(a, 4, "tp"); return c        y = control_deps((p,), body, x)
//   -> y = all_gather(x, 4, "tp"), ordered after p
// The node's argument for a placeholder that the call reads must be a node itself.
const Reason *InlineControlDeps::obstacle(const Node &node, const Node *call) const {
  if (!call)
    return &body_;
  const Graph &body = *call->graph();
  const Node *output = body.output();
  if (!output || output->args().size() != 1 || !output->args()[0].is(Argument::Kind::Operand) ||
      output->operand(0) != call)
    return &body_;
  std::vector<const Node *> formals = placeholdersOf(body);
  if (formals.size() + 2 != node.args().size() || call->numOrdering() != 0)
    return &captures_;
  for (unsigned i = 0; i < call->numOperands(); ++i) {
    auto formal = llvm::find(formals, call->operand(i));
    if (formal == formals.end() ||
        !node.args()[2 + static_cast<size_t>(formal - formals.begin())].is(Argument::Kind::Operand))
      return &captures_;
  }
  return nullptr;
}

/// Creates the call before its wrapper, with the wrapper's arguments for the placeholders of its subgraph. A known type
/// or frame of the wrapper replaces that of the call.
Node *copyCall(Graph &graph, Node &wrapper, const Node &call) {
  BodyCopy copy(graph, wrapper);
  const Argument *actual = wrapper.args().begin() + 2; // after the dependences and the subgraph
  for (const Node *formal : placeholdersOf(*call.graph()))
    copy.bind(*formal, *actual++);
  NodeSpec spec;
  spec.name = wrapper.name().str();
  spec.target = call.target();
  spec.type = wrapper.type() ? wrapper.type() : call.type();
  spec.frame = wrapper.frame() ? wrapper.frame() : graph.addFrame(call.graph()->frames()[call.frame()]);
  spec.provenance = &wrapper.provenance();
  return copy.copy(call, spec);
}

bool reads(const Node &node, const Node *def) {
  for (unsigned i = 0; i < node.numOperands(); ++i)
    if (node.operand(i) == def)
      return true;
  return false;
}

/// Returns the nodes in the first argument, then those of ordering edges.
std::vector<Node *> dependencesOf(const Node &node) {
  std::vector<Node *> found;
  for (const Argument &element : node.args()[0].elements())
    if (element.is(Argument::Kind::Operand))
      found.push_back(node.operand(element));
  if (node.args()[0].is(Argument::Kind::Operand))
    found.push_back(node.operand(node.args()[0]));
  for (unsigned i = 0; i < node.numOrdering(); ++i)
    found.push_back(node.ordering(i));
  return found;
}

void InlineControlDeps::inlineCall(Graph &graph, Node *node, PassContext &context, SubgraphAttributes &attributes) {
  const Node *call = wrappedCall(*node);
  Node *attribute = graph.byId(subgraphAttribute(*node)->id());
  std::string name = node->name().str().str();
  std::vector<Node *> dependences = dependencesOf(*node);
  Node *built = copyCall(graph, *node, *call);
  for (Node *dependence : dependences)
    if (!reads(*built, dependence)) {
      graph.addOrdering(built, dependence);
      ++edges_;
    }
  graph.replaceAllUses(node, built);
  context.remark(done_, *node, {{"call", call->target().str().str()}});
  RuleEntry entry{"inline-control-deps", {node}, {built}};
  graph.erase(node);
  graph.rename(built, name);
  if (attributes.eraseUnused(attribute))
    entry.matched.push_back(attribute);
  context.certificate().rules.push_back(std::move(entry));
  ++inlined_;
}

llvm::Expected<Changed> InlineControlDeps::run(Graph &graph, PassContext &context) {
  SubgraphAttributes attributes(graph);
  for (Node *node : graph.nodes()) {
    if (!node->op() || node->op()->role != OpRole::ControlDeps || node->isErased())
      continue;
    if (const Reason *reason = subgraphAttribute(*node) ? obstacle(*node, wrappedCall(*node)) : &body_)
      context.remark(*reason, *node);
    else
      inlineCall(graph, node, context, attributes);
  }
  if (inlined_.value() == 0)
    return Changed::No;
  // Only the inlined call shows whether it fits its actual arguments. A mismatch is an error of the input.
  if (llvm::Error error = verifyOrError(graph))
    return error;
  return Changed::Yes;
}

} // namespace

std::unique_ptr<Pass> createInlineControlDeps() { return std::make_unique<InlineControlDeps>(); }

} // namespace ccgraph
