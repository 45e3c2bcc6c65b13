#include "ccgraph/ir/builder.h"

#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/type_inference.h"

namespace ccgraph {
namespace {

/// Returns "add" for "aten.add.Tensor". torch.fx avoids names of Python's builtins, so `slice` becomes `slice_1`.
std::string nameOf(llvm::StringRef target) {
  llvm::StringRef name = target.split('.').second.split('.').first;
  constexpr llvm::StringLiteral builtins[] = {"slice", "sum", "all", "any", "max", "min", "pow", "abs", "round"};
  return name.str() + (llvm::is_contained(builtins, name) ? "_1" : "");
}

} // namespace

Actual Actual::memoryFormat(Context &context, llvm::StringRef name) {
  return literal(Argument::word(Argument::Kind::MemoryFormat, context.identifier(name)));
}

// In an argument tree an operand is an index into its node's operands. A copy refers to the node itself, so it may be
// used in a call with other operands.
Actual Actual::copyOf(const Node &node, const Argument &argument) {
  switch (argument.kind()) {
  case Argument::Kind::Operand:
    return node.operand(argument);
  case Argument::Kind::List:
  case Argument::Kind::Tuple:
  case Argument::Kind::Slice: {
    std::vector<Actual> elements;
    for (const Argument &element : argument.elements())
      elements.push_back(copyOf(node, element));
    return {argument.kind(), std::move(elements)};
  }
  case Argument::Kind::Dict: {
    Entries entries;
    for (const NamedArgument &entry : argument.entries()) {
      entries.names.push_back(entry.name);
      entries.values.push_back(copyOf(node, entry.value));
    }
    Actual actual(false);
    actual.value_ = std::move(entries);
    return actual;
  }
  case Argument::Kind::None:
  case Argument::Kind::Bool:
  case Argument::Kind::Int:
  case Argument::Kind::Float:
  case Argument::Kind::String:
  case Argument::Kind::Symbolic:
  case Argument::Kind::DType:
  case Argument::Kind::Device:
  case Argument::Kind::Layout:
  case Argument::Kind::MemoryFormat:
  case Argument::Kind::Python:
    return literal(argument);
  }
  return none();
}

Argument Actual::build(ArgumentBuilder &builder) const {
  if (const auto *node = std::get_if<Node *>(&value_))
    return builder.operand(*node);
  if (const auto *text = std::get_if<std::string>(&value_))
    return builder.string(*text);
  if (const auto *sequence = std::get_if<Sequence>(&value_)) {
    std::vector<Argument> elements;
    for (const Actual &element : sequence->elements)
      elements.push_back(element.build(builder));
    return builder.sequence(sequence->kind, elements);
  }
  if (const auto *dict = std::get_if<Entries>(&value_)) {
    std::vector<NamedArgument> entries;
    for (auto [name, value] : llvm::zip(dict->names, dict->values))
      entries.push_back({name, value.build(builder)});
    return builder.dict(entries);
  }
  return std::get<Argument>(value_);
}

void GraphBuilder::standFor(llvm::ArrayRef<Node *> sources) {
  frame_ = sources.front()->frame();
  provenance_ = graph_->mergeProvenance(sources);
}

Node *GraphBuilder::create(NodeSpec spec, llvm::ArrayRef<Actual> args, llvm::ArrayRef<NamedActual> kwargs) {
  ArgumentBuilder builder(*graph_);
  std::vector<Argument> positional;
  std::vector<NamedArgument> keyword;
  for (const Actual &actual : args)
    positional.push_back(actual.build(builder));
  for (const NamedActual &actual : kwargs)
    keyword.push_back({graph_->context().identifier(actual.name), actual.value.build(builder)});
  spec.frame = frame_;
  spec.provenance = provenance_;
  return graph_->create(spec, std::move(builder), {positional, keyword}, position_);
}

Node *GraphBuilder::input(llvm::StringRef name, const Type *type) {
  Node *node =
      create({.opcode = Opcode::Placeholder, .name = name, .target = graph_->context().identifier(name), .type = type},
             {}, {});
  // Inputs are the parameters of one function, so an input whose name was taken is also another parameter.
  if (node->target() != node->name())
    graph_->setTarget(node, node->name());
  return node;
}

Node *GraphBuilder::attribute(llvm::StringRef target, const Type *type) {
  return create(
      {.opcode = Opcode::GetAttr, .name = target, .target = graph_->context().identifier(target), .type = type}, {},
      {});
}

Node *GraphBuilder::call(const CallSpec &call) {
  std::string name = call.name.empty() ? nameOf(call.target) : call.name.str();
  Node *node = create({.name = name, .target = graph_->context().identifier(call.target), .type = call.type}, call.args,
                      call.kwargs);
  made_.push_back(node);
  if (!call.type)
    infer(node);
  return node;
}

void GraphBuilder::infer(Node *node) {
  llvm::Expected<const Type *> type = assumesTypes_ ? TypeInference().typeOf(*node) : certainType(*node);
  if (type)
    return graph_->setType(node, *type);
  // Only the first error is kept, because later errors are often consequences of it.
  llvm::handleAllErrors(type.takeError(), [&](const DiagnosticError &error) {
    if (!firstError_ && !error.diagnostics().empty())
      firstError_ = error.diagnostics().front();
  });
}

Node *GraphBuilder::result(const Actual &value) {
  return create({.opcode = Opcode::Output, .name = "output", .target = graph_->context().identifier("output")}, value,
                {});
}

const Type *GraphBuilder::tensor(DType dtype, llvm::ArrayRef<int64_t> sizes, llvm::StringRef device) const {
  Context &context = graph_->context();
  llvm::SmallVector<Dim, 4> dims(sizes.begin(), sizes.end());
  return context.contiguousTensor(dtype, dims, {context.identifier(device), -1});
}

const Type *GraphBuilder::tensorLike(const Type &like, llvm::ArrayRef<int64_t> sizes) const {
  llvm::SmallVector<Dim, 4> dims(sizes.begin(), sizes.end());
  return graph_->context().contiguousTensor(like.dtype(), dims, like.device());
}

} // namespace ccgraph
