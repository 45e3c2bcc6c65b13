#include "infer/families.h"
#include "infer/linear_types.h"

namespace ccgraph::infer {
namespace {

TypePtr scalar(Call &call, const Dim &value) { return call.context.symbolicScalar(call.context.symbolic(value.str())); }

std::optional<Dim> operandAt(const Call &call, unsigned index) {
  return index < call.node.args().size() ? dimOf(call.node, call.node.args()[index]) : std::nullopt;
}

/// Empty for a product of symbols, and where a quotient is not whole.
std::optional<Linear> combined(llvm::StringRef target, const Linear &a, const Linear &b) {
  if (target == "operator.add")
    return a.plus(b);
  if (target == "operator.sub")
    return a.plus(b, -1);
  if (target == "operator.floordiv")
    return b.number() ? a.over(*b.number()) : std::nullopt;
  if (target != "operator.mul")
    return std::nullopt;
  return b.number() ? a.times(*b.number()) : a.number() ? b.times(*a.number()) : std::nullopt;
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
  auto a = Linear::parse(*left);
  auto b = Linear::parse(*right);
  std::optional<Linear> result = a && b ? combined(call.node.target().str(), *a, *b) : std::nullopt;
  return result ? scalar(call, result->dim(call.context)) : nullptr;
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
