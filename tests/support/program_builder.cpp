#include "support/program_builder.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace ccgraph::test {

namespace {

/// "aten.add.Tensor" -> "add".
StringRef nameOf(StringRef target) { return target.split('.').second.split('.').first; }

struct ArgumentOf {
  ArgumentBuilder &builder;
  Argument operator()(Node *node) { return builder.operand(node); }
  Argument operator()(int64_t value) { return Argument::integer(value); }
  Argument operator()(double value) { return Argument::floating(value); }
  Argument operator()(StringRef text) { return builder.string(text); }
  Argument operator()(DType dtype) { return Argument::dtype(dtype); }
  Argument operator()(const ProgramBuilder::Nodes &nodes) { return builder.nodes(nodes); }
  Argument operator()(const ProgramBuilder::Numbers &numbers) { return builder.integers(numbers); }
};

Node *makeOutput(Graph &graph, ArgumentBuilder &&builder, const Argument &value) {
  NodeSpec spec;
  spec.opcode = Opcode::Output;
  spec.name = "output";
  spec.target = graph.context().identifier("output");
  return graph.create(spec, std::move(builder), {value, {}});
}

std::vector<Dim> dims(llvm::ArrayRef<int64_t> values) { return {values.begin(), values.end()}; }

} // namespace

const Type *ProgramBuilder::tensor(DType dtype, llvm::ArrayRef<int64_t> sizes) const {
  Context &context = graph_.context();
  return context.contiguousTensor(dtype, dims(sizes), {context.identifier("cpu"), -1});
}

const Type *ProgramBuilder::strided(const Type *like, llvm::ArrayRef<int64_t> sizes,
                                    llvm::ArrayRef<int64_t> strides) const {
  std::vector<Dim> sizeDims = dims(sizes), strideDims = dims(strides);
  return graph_.context().tensor(like->dtype(), {sizeDims, strideDims, true}, like->device());
}

Node *ProgramBuilder::input(StringRef name, const Type *type) {
  NodeSpec spec;
  spec.opcode = Opcode::Placeholder;
  spec.name = name;
  spec.target = graph_.context().identifier(name);
  spec.type = type;
  return graph_.create(spec, ArgumentBuilder(graph_), {});
}

Node *ProgramBuilder::call(StringRef target, const Type *type, llvm::ArrayRef<Value> arguments, Node *out) {
  ArgumentBuilder builder(graph_);
  llvm::SmallVector<Argument, 6> positional;
  for (const Value &value : arguments)
    positional.push_back(std::visit(ArgumentOf{builder}, value));
  llvm::SmallVector<NamedArgument, 1> keyword;
  if (out != nullptr)
    keyword.push_back({graph_.context().identifier("out"), builder.operand(out)});
  NodeSpec spec;
  spec.name = nameOf(target);
  spec.target = graph_.context().identifier(target);
  spec.type = type;
  return graph_.create(spec, std::move(builder), {positional, keyword});
}

Node *ProgramBuilder::attribute(StringRef target) {
  NodeSpec spec;
  spec.opcode = Opcode::GetAttr;
  spec.name = target;
  spec.target = graph_.context().identifier(target);
  return graph_.create(spec, ArgumentBuilder(graph_), {});
}

Node *ProgramBuilder::output(const Nodes &values) {
  ArgumentBuilder builder(graph_);
  llvm::SmallVector<Argument, 8> elements;
  for (Node *value : values)
    elements.push_back(builder.operand(value));
  Argument tuple = builder.sequence(Argument::Kind::Tuple, elements);
  return makeOutput(graph_, std::move(builder), tuple);
}

Node *ProgramBuilder::result(Node *value) {
  ArgumentBuilder builder(graph_);
  Argument operand = builder.operand(value);
  return makeOutput(graph_, std::move(builder), operand);
}

} // namespace ccgraph::test
