#include "traced.h"

#include "support/compared_after_o2.h"
#include "support/noted.h"

#include "llvm/Support/FormatVariadic.h"

namespace ccgraph::test {
namespace {

std::string argumentText(const Node &node, const Argument &argument) {
  if (argument.is(Argument::Kind::Operand))
    return node.operand(argument)->name().str().str();
  if (argument.isSequence()) {
    std::string text;
    for (const Argument &element : argument.elements())
      text += (text.empty() ? "" : ", ") + argumentText(node, element);
    return "[" + text + "]";
  }
  if (argument.is(Argument::Kind::Int))
    return std::to_string(argument.integer());
  if (argument.is(Argument::Kind::Float))
    return llvm::formatv("{0}", argument.floating()).str();
  if (argument.is(Argument::Kind::Bool))
    return argument.boolean() ? "True" : "False";
  if (argument.is(Argument::Kind::None))
    return "None";
  if (argument.is(Argument::Kind::DType))
    return shortName(argument.dtype()).str();
  if (argument.is(Argument::Kind::Device))
    return argument.device().kind.str().str();
  return argument.text().str();
}

std::string callText(const Node &node) {
  std::string arguments;
  for (const Argument &argument : node.args())
    arguments += (arguments.empty() ? "" : ", ") + argumentText(node, argument);
  for (const NamedArgument &named : node.kwargs())
    arguments += ", " + named.name.str().str() + "=" + argumentText(node, named.value);
  return (node.name().str() + " = " + node.target().str() + "(" + arguments + ") : " + typeText(node.type()) + "\n")
      .str();
}

} // namespace

std::string noted(const Diagnostic *error) {
  if (!error)
    return "";
  std::string text = toString(*error);
  note("error", text);
  return text;
}
std::string errorOf(const Tensor &tensor) { return noted(tensor.error()); }
std::string errorOf(llvm::Error error) { return notedError(std::move(error)); }

std::string callsOf(const Graph &graph) {
  std::string text;
  for (const Node *node : graph)
    if (node->opcode() == Opcode::CallFunction)
      text += callText(*node);
  return text;
}

Traced::Traced(const tracer::TraceOptions &options) : trace_(llvm::cantFail(tracer::Trace::begin(context_, options))) {}

std::string Traced::finishText(const std::vector<Tensor> &outputs) {
  llvm::Expected<std::unique_ptr<Graph>> graph = trace_.finish(outputs);
  if (!graph)
    return errorOf(graph.takeError());
  return callsOf(keep(std::move(*graph)));
}

Graph &Traced::finish(const std::vector<Tensor> &outputs) { return keep(llvm::cantFail(trace_.finish(outputs))); }

Graph &Traced::keep(std::unique_ptr<Graph> graph) {
  graph_ = std::move(graph);
  if (std::string text = callsOf(*graph_); !text.empty())
    note("records", text);
  return *graph_;
}

std::string differencesAfterO2(const Graph &graph, size_t ranks) {
  ComparedAfterO2 after = compareAfterO2(graph, ranks);
  return after.problem.empty() && !after.isChecked ? "not checked" : after.problem;
}

} // namespace ccgraph::test
