// inline-control-deps: control_deps((d, e), subgraph of f, x, y)  ->  f(x, y), ordered after d and
// e
//
// Inductor wraps a call this way after scheduling it, to keep it in place. All analyses here need to see the call;
// ordering edges express the same order.
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/signature.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/passes/registry.h"
#include "rewrite/subgraph_attributes.h"

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

/// The call with the actual arguments for the subgraph's placeholders.
class CallCopy {
public:
  CallCopy(Graph &graph, const Node &wrapper, const Node &call)
      : builder_(graph), wrapper_(wrapper), call_(call), formals_(placeholdersOf(*call.graph())) {}

  Node *create(Graph &graph, Node *position) {
    std::vector<Argument> args;
    std::vector<NamedArgument> named;
    for (const Argument &argument : call_.args())
      args.push_back(copy(argument));
    for (const NamedArgument &argument : call_.kwargs())
      named.push_back({argument.name, copy(argument.value)});
    NodeSpec spec;
    spec.name = wrapper_.name().str();
    spec.target = call_.target();
    spec.type = wrapper_.type() ? wrapper_.type() : call_.type();
    spec.frame = wrapper_.frame() ? wrapper_.frame() : graph.addFrame(call_.graph()->frames()[call_.frame()]);
    spec.provenance = &wrapper_.provenance();
    return graph.create(spec, std::move(builder_), Arguments{args, named}, position);
  }

private:
  Argument copy(const Argument &tree) {
    return builder_.copy(tree, [&](uint32_t index) {
      size_t formal = static_cast<size_t>(llvm::find(formals_, call_.operand(index)) - formals_.begin());
      return wrapper_.operand(wrapper_.args()[2 + formal]);
    });
  }

  ArgumentBuilder builder_;
  const Node &wrapper_;
  const Node &call_;
  std::vector<const Node *> formals_;
};

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
  Node *built = CallCopy(graph, *node, *call).create(graph, node);
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
