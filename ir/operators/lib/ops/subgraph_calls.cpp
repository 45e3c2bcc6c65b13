#include "ccgraph/ir/subgraph_calls.h"

#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/StringSwitch.h"

namespace ccgraph {
namespace {

/// Places of the subgraphs and of their arguments in a call.
struct Form {
  SubgraphUse use = SubgraphUse::None;
  size_t firstBody = 0;
  size_t bodies = 0;
  size_t firstArgument = 0;
  /// The arguments are the elements of tuples.
  bool inTuples = false;
};

Form formOf(llvm::StringRef target) {
  return llvm::StringSwitch<Form>(target)
      .Case("higher_order.control_deps", {SubgraphUse::Once, 1, 1, 2, false})
      .Case("higher_order.invoke_subgraph", {SubgraphUse::Once, 0, 1, 2, false})
      .Case("higher_order.cond", {SubgraphUse::Choice, 1, 2, 3, true})
      .Case("higher_order.while_loop", {SubgraphUse::Loop, 0, 2, 2, true})
      .Default({});
}

Graph *subgraphAt(const Node &node, size_t index) {
  bool isNode = index < node.args().size() && node.args()[index].is(Argument::Kind::Operand);
  return isNode ? namedSubgraph(*node.operand(node.args()[index])) : nullptr;
}

} // namespace

Graph *namedSubgraph(const Node &attribute) {
  return attribute.opcode() == Opcode::GetAttr ? attribute.graph()->subgraph(attribute.target()) : nullptr;
}

SubgraphCalls subgraphCallsOf(const Node &node) {
  SubgraphCalls calls;
  const Form form = node.op() ? formOf(node.target().str()) : Form{};
  for (size_t i = 0; i < form.bodies; ++i)
    if (Graph *body = subgraphAt(node, form.firstBody + i))
      calls.bodies.push_back(body);
  bool hasTuple = !form.inTuples || node.args().size() > form.firstArgument;
  if (form.use == SubgraphUse::None || calls.bodies.size() != form.bodies || !hasTuple)
    return {};
  calls.use = form.use;
  for (const Argument &argument : node.args().drop_front(std::min(form.firstArgument, node.args().size())))
    if (form.inTuples && argument.isSequence())
      calls.arguments.append(argument.elements().begin(), argument.elements().end());
    else
      calls.arguments.push_back(argument);
  return calls;
}

} // namespace ccgraph
