#include "ops/arguments.h"

namespace ccgraph {

const Type *tensorAt(const Node &node, int parameter) {
  const Argument *argument = argumentAt(node, parameter);
  const Type *type = argument && argument->is(Argument::Kind::Operand) ? node.operand(*argument)->type() : nullptr;
  return type && type->isTensor() ? type : nullptr;
}

std::optional<llvm::SmallVector<const Type *, 8>> tensorsAt(const Node &node, int parameter) {
  const Argument *argument = argumentAt(node, parameter);
  if (argument && argument->is(Argument::Kind::Operand)) { // a node that yields a list
    const Type *list = node.operand(*argument)->type();
    if (!list || !list->isList())
      return std::nullopt;
    return llvm::SmallVector<const Type *, 8>(list->elements().begin(), list->elements().end());
  }
  if (!argument || !argument->isSequence())
    return std::nullopt;
  llvm::SmallVector<const Type *, 8> types;
  for (const Argument &element : argument->elements()) {
    if (!element.is(Argument::Kind::Operand))
      return std::nullopt;
    const Type *type = node.operand(element)->type();
    types.push_back(type && type->isTensor() ? type : nullptr);
  }
  return types;
}

// Defaults are read from the schema's text: unbind(x) of "unbind.int(Tensor self, int dim=0)" has the dim 0. A default
// that is no number, such as None, leaves the answer open.
/// Empty where the schema has no default there, or no such parameter: overloads share a rule.
static llvm::StringRef defaultAt(const Node &node, int parameter) {
  const std::vector<OpParam> &params = node.op()->params;
  return static_cast<size_t>(parameter) < params.size() ? llvm::StringRef(params[parameter].defaultValue) : "";
}

std::optional<int64_t> intAt(const Node &node, int parameter) {
  if (parameter < 0)
    return std::nullopt;
  const Argument *argument = argumentAt(node, parameter);
  if (argument)
    return argument->is(Argument::Kind::Int) ? std::optional(argument->integer()) : std::nullopt;
  int64_t value = 0;
  bool known = !defaultAt(node, parameter).getAsInteger(10, value);
  return known ? std::optional(value) : std::nullopt;
}

std::optional<llvm::SmallVector<int64_t, 6>> intsAt(const Node &node, int parameter) {
  const Argument *argument = argumentAt(node, parameter);
  if (!argument || !argument->isSequence())
    return std::nullopt;
  llvm::SmallVector<int64_t, 6> values;
  for (const Argument &element : argument->elements()) {
    if (!element.is(Argument::Kind::Int))
      return std::nullopt;
    values.push_back(element.integer());
  }
  return values;
}

// A size may be a number, an expression, or a node: view(x, [sym_size_int, 4]), where sym_size_int has the type
// Sym(s0), has the sizes [s0, 4].
std::optional<Dim> dimOf(const Node &node, const Argument &argument) {
  if (argument.is(Argument::Kind::Int))
    return Dim(argument.integer());
  if (argument.is(Argument::Kind::Symbolic))
    return Dim(argument.symbolic());
  if (!argument.is(Argument::Kind::Operand))
    return std::nullopt;
  const Type *type = node.operand(argument)->type();
  if (!type || type->kind() != Type::Kind::Symbolic)
    return std::nullopt;
  int64_t value = 0;
  return type->symbol()->text().getAsInteger(10, value) ? Dim(type->symbol()) : Dim(value);
}

std::optional<llvm::SmallVector<Dim, 6>> dimsAt(const Node &node, int parameter) {
  const Argument *argument = argumentAt(node, parameter);
  if (!argument || !argument->isSequence())
    return std::nullopt;
  llvm::SmallVector<Dim, 6> values;
  for (const Argument &element : argument->elements()) {
    std::optional<Dim> dim = dimOf(node, element);
    if (!dim)
      return std::nullopt;
    values.push_back(*dim);
  }
  return values;
}

std::optional<bool> boolAt(const Node &node, int parameter) {
  if (parameter < 0)
    return std::nullopt;
  const Argument *argument = argumentAt(node, parameter);
  if (argument)
    return argument->is(Argument::Kind::Bool) ? std::optional(argument->boolean()) : std::nullopt;
  llvm::StringRef text = defaultAt(node, parameter);
  return text == "True" ? std::optional(true) : text == "False" ? std::optional(false) : std::nullopt;
}

std::optional<unsigned> wrapDim(int64_t dim, size_t rank) {
  int64_t count = static_cast<int64_t>(rank);
  if (dim < -count || dim >= count)
    return std::nullopt;
  return static_cast<unsigned>(dim < 0 ? dim + count : dim);
}

std::optional<int64_t> groupSizeOf(const Node &node, const CollectiveCall &call) {
  if (call.groupSize)
    return call.groupSize;
  if (!call.ranks.empty())
    return static_cast<int64_t>(call.ranks.size());
  const Group *group = call.group.empty() ? nullptr : node.graph()->groups().find(call.group);
  return group ? group->size() : std::nullopt;
}

} // namespace ccgraph
