#include "infer/rule.h"

namespace ccgraph::infer {

const Argument *Call::given(llvm::StringRef name) const {
  int parameter = index(name);
  const Argument *argument = parameter < 0 ? nullptr : argumentAt(node, parameter);
  return argument && !argument->is(Argument::Kind::None) ? argument : nullptr;
}

std::optional<int64_t> Call::integer(llvm::StringRef name) const { return intAt(node, index(name)); }

std::optional<Dim> Call::dim(llvm::StringRef name) const {
  const Argument *argument = given(name);
  if (!argument)
    return std::nullopt;
  if (argument->is(Argument::Kind::Int))
    return Dim(argument->integer());
  if (argument->is(Argument::Kind::Symbolic))
    return Dim(argument->symbolic());
  TypePtr type = argument->is(Argument::Kind::Operand) ? node.operand(*argument)->type() : nullptr;
  if (!type || type->kind() != Type::Kind::Symbolic)
    return std::nullopt;
  int64_t value = 0;
  return type->symbol()->text().getAsInteger(10, value) ? Dim(type->symbol()) : Dim(value);
}

bool Call::flag(llvm::StringRef name) const { return boolAt(node, index(name)).value_or(false); }

DType Call::dtypeOr(DType otherwise) const {
  const Argument *argument = given("dtype");
  return argument && argument->is(Argument::Kind::DType) ? argument->dtype() : otherwise;
}

// A device without index is the current one, which an input on such a device tells.
Device Call::deviceOr(Device otherwise) const {
  const Argument *argument = given("device");
  if (!argument)
    return otherwise;
  bool isNode = argument->is(Argument::Kind::Operand); // a compiled program that asks for the current device
  if (!isNode && !argument->is(Argument::Kind::Device))
    return otherwise;
  Device asked = isNode ? otherwise : argument->device();
  if (!isNode && (asked.index >= 0 || asked.kind.str() == "cpu"))
    return asked;
  for (const Node *input : *node.graph())
    if (TypePtr type = input->type(); type && type->isTensor())
      if (isNode ? type->device().kind.str() != "cpu" : type->device().kind == asked.kind)
        return type->device();
  return asked;
}

} // namespace ccgraph::infer
