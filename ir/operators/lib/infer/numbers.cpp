#include "infer/families.h"

namespace ccgraph::infer {
namespace {

TypePtr scalar(Call &call, const Dim &value) { return call.context.symbolicScalar(call.context.symbolic(value.str())); }

std::optional<Dim> operandAt(const Call &call, unsigned index) {
  return index < call.node.args().size() ? dimOf(call.node, call.node.args()[index]) : std::nullopt;
}

std::optional<Dim> combined(Context &context, llvm::StringRef target, const Dim &a, const Dim &b) {
  if (target == "operator.add")
    return add(context, a, b);
  if (target == "operator.sub")
    return subtract(context, a, b);
  if (target == "operator.mul")
    return multiply(context, a, b);
  if (target == "operator.floordiv")
    return floorDivide(context, a, b);
  return target == "operator.mod" ? modulo(context, a, b) : std::nullopt;
}

} // namespace

TypePtr itemType(Call &call) {
  TypePtr self = call.tensor(0);
  bool isWhole = self && classOf(self->dtype()) == DTypeClass::Integer;
  return isWhole ? scalar(call, call.freshSymbol()) : nullptr;
}

TypePtr sizeType(Call &call) {
  TypePtr self = call.tensor(0);
  auto dim = self ? wrapDim(call.integer("dim").value_or(0), self->sizes().size()) : std::nullopt;
  return dim ? scalar(call, self->sizes()[*dim]) : nullptr;
}

TypePtr numelType(Call &call) {
  TypePtr self = call.tensor(0);
  return self ? scalar(call, productOf(call.context, self->sizes())) : nullptr;
}

TypePtr symbolicSum(Call &call) {
  if (call.node.args().size() != 1 || !call.node.args()[0].isSequence())
    return nullptr;
  Dim sum(0);
  for (const Argument &entry : call.node.args()[0].elements()) {
    TypePtr type = entry.is(Argument::Kind::Operand) ? call.node.operand(entry)->type() : nullptr;
    if (type && type->kind() == Type::Kind::Symbolic)
      sum = add(call.context, sum, Dim(type->symbol()));
    else if (entry.is(Argument::Kind::Int))
      sum = add(call.context, sum, Dim(entry.integer()));
    else
      return nullptr;
  }
  return scalar(call, sum);
}

TypePtr numberArithmetic(Call &call) {
  auto left = operandAt(call, 0);
  auto right = operandAt(call, 1);
  if (!left || !right)
    return nullptr;
  std::optional<Dim> result = combined(call.context, call.node.target().str(), *left, *right);
  return result ? scalar(call, *result) : nullptr;
}

TypePtr comparedNumbers(Call &call) {
  auto left = operandAt(call, 0);
  auto right = operandAt(call, 1);
  if (!left || !right)
    return nullptr;
  llvm::StringRef name = call.node.target().str().rsplit('.').second;
  llvm::StringRef symbol = name == "le"   ? "<="
                           : name == "lt" ? "<"
                           : name == "ge" ? ">="
                           : name == "gt" ? ">"
                           : name == "eq" ? "=="
                                          : "!=";
  return call.context.symbolicScalar(call.context.symbolic(left->str() + " " + symbol.str() + " " + right->str()));
}

} // namespace ccgraph::infer
