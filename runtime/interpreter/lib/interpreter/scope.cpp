#include "interpreter/scope.h"

#include "tensor/arguments.h"

namespace ccgraph::runtime {

Scope::Scope(const Graph &graph)
    : graph(&graph), next(graph.front()), values(graph.idLimit()), readers(graph.idLimit()) {
  for (const Node *node : graph)
    for (unsigned i = 0; i < node->numOperands(); ++i)
      ++readers[node->operand(i)->id()];
}

llvm::Expected<Value> evaluate(const Node &node, const Argument &argument, const Scope &scope, const Symbols &symbols) {
  auto operandValue = [&](const Argument &leaf) -> llvm::Expected<Value> {
    const Node *operand = node.operand(leaf);
    if (const std::optional<Value> &value = scope.values[operand->id()])
      return *value;
    return makeError(diagnose(node, "run.not-computed",
                              ("reads `" + operand->name().str() + "`, which has no value yet").str(),
                              "a definition must precede its uses"));
  };
  auto fail = [&](llvm::StringRef rule, std::string message, std::string repair) {
    return makeError(diagnose(node, rule, std::move(message), std::move(repair)));
  };
  return evaluate(argument, {symbols, operandValue, fail});
}

} // namespace ccgraph::runtime
