#include "ccgraph/ir/signature.h"

namespace ccgraph {
namespace {

void addLeaves(const Node &output, const Argument &argument, std::vector<const Node *> &leaves) {
  if (argument.isSequence())
    for (const Argument &element : argument.elements())
      addLeaves(output, element, leaves);
  else
    leaves.push_back(argument.is(Argument::Kind::Operand) ? output.operand(argument) : nullptr);
}

} // namespace

std::vector<const Node *> placeholdersOf(const Graph &graph) {
  std::vector<const Node *> placeholders;
  for (const Node *node : graph)
    if (node->opcode() == Opcode::Placeholder)
      placeholders.push_back(node);
  return placeholders;
}

std::vector<const Node *> outputLeavesOf(const Graph &graph) {
  std::vector<const Node *> leaves;
  if (const Node *output = graph.output())
    for (const Argument &argument : output->args())
      addLeaves(*output, argument, leaves);
  return leaves;
}

} // namespace ccgraph
