#include "infer/families.h"
#include "infer/layout.h"

#include "ccgraph/ir/promotion.h"

namespace ccgraph::infer {
namespace {

/// What the operands of an elementwise call are.
struct Operands {
  llvm::SmallVector<TypePtr, 4> tensors;
  llvm::SmallVector<PromotedOperand, 6> promoted;
  bool known = true;
};

/// Arguments that say how to compute, not on what; and a mask, which has no say in the dtype.
bool isOption(llvm::StringRef name) {
  return name == "alpha" || name == "threshold" || name == "weight" || name == "approximate" ||
         name == "rounding_mode" || name == "reduction" || name == "beta" || name == "negative_slope" ||
         name == "scale" || name == "input_scale" || name == "eps" || name == "value" || name == "nan" ||
         name == "posinf" || name == "neginf" || name == "decimals" || name == "lambd";
}
bool isMask(llvm::StringRef name) { return name == "condition" || name == "mask"; }

std::optional<DType> classOfNumber(const Argument &argument) {
  if (argument.is(Argument::Kind::Bool))
    return DType::Bool;
  if (argument.is(Argument::Kind::Int) || argument.is(Argument::Kind::Symbolic))
    return DType::I64;
  if (argument.is(Argument::Kind::Float))
    return DType::F64;
  return std::nullopt;
}

void addOperand(const Call &call, const Argument &argument, llvm::StringRef name, Operands &out) {
  if (!argument.is(Argument::Kind::Operand)) {
    if (auto number = isOption(name) ? std::nullopt : classOfNumber(argument))
      out.promoted.push_back({*number, OperandKind::Number});
    return;
  }
  TypePtr type = call.node.operand(argument)->type();
  if (type && type->kind() == Type::Kind::Symbolic) {
    if (!isOption(name))
      out.promoted.push_back({DType::I64, OperandKind::Number});
  } else if (!type || !type->isTensor()) {
    out.known = false;
  } else {
    out.tensors.push_back(type);
    if (!isMask(name))
      out.promoted.push_back({type->dtype(), type->sizes().empty() ? OperandKind::ZeroDim : OperandKind::Tensor});
  }
}

Operands operandsOf(const Call &call) {
  Operands operands;
  const auto &params = call.node.op()->params;
  for (size_t i = 0; i != call.node.args().size(); ++i)
    addOperand(call, call.node.args()[i], i < params.size() ? llvm::StringRef(params[i].name) : "", operands);
  for (const NamedArgument &entry : call.node.kwargs())
    addOperand(call, entry.value, entry.name.str(), operands);
  return operands;
}

TypePtr computed(Call &call, DType (*resultOf)(DType common)) {
  Operands operands = operandsOf(call);
  if (!operands.known || operands.tensors.empty())
    return nullptr;
  return elementwise(call.context, resultOf(resultType(operands.promoted)), operands.tensors);
}

} // namespace

TypePtr arithmeticType(Call &call) {
  return computed(call, [](DType common) { return common; });
}
TypePtr floatType(Call &call) { return computed(call, floatTypeOf); }
TypePtr realType(Call &call) { return computed(call, realTypeOf); }
TypePtr boolType(Call &call) {
  return computed(call, [](DType) { return DType::Bool; });
}

// PyTorch computes where(condition, x, number), with a condition laid out as an elementwise operator does, and a number as a tensor
// without dimensions.
TypePtr chosenType(Call &call) {
  Operands operands = operandsOf(call);
  if (!operands.known || operands.tensors.empty())
    return nullptr;
  DType dtype = resultType(operands.promoted);
  TypePtr self = operands.tensors.front(), compared = operands.tensors.back();
  TypePtr condition = elementwise(call.context, DType::Bool, {compared});
  TypePtr number = call.contiguousLike(*self, {});
  if (!condition)
    return nullptr;
  llvm::SmallVector<TypePtr, 4> all = {condition, number};
  all.append(operands.tensors.begin(), operands.tensors.end());
  return elementwise(call.context, dtype, all);
}

// where(condition, x, number), whose condition is an operand.
TypePtr chosenByOperand(Call &call) {
  Operands operands = operandsOf(call);
  if (!operands.known || operands.tensors.empty())
    return nullptr;
  operands.tensors.push_back(call.contiguousLike(*operands.tensors.front(), {}));
  return elementwise(call.context, resultType(operands.promoted), operands.tensors);
}

TypePtr likeType(Call &call) {
  TypePtr self = call.tensor(0);
  return self ? elementwise(call.context, self->dtype(), {self}) : nullptr;
}

TypePtr quotientType(Call &call) { return call.given("rounding_mode") ? arithmeticType(call) : floatType(call); }

/// `chosen`, or a contiguous copy of it.
static TypePtr madeContiguous(const Call &call, TypePtr chosen) {
  return chosen && !chosen->isContiguous() ? call.contiguousLike(*chosen, chosen->sizes()) : chosen;
}

// masked_fill(x, mask, value) is where(mask, value, x), made contiguous: stretched as far as the mask is.
TypePtr filledType(Call &call) {
  TypePtr self = call.tensor("self");
  TypePtr mask = call.tensor("mask");
  if (!self || !mask)
    return nullptr;
  TypePtr number = call.contiguousLike(*self, {});
  return madeContiguous(call, elementwise(call.context, self->dtype(), {mask, number, self}));
}

// tril(x) is where(mask, x, 0) of a mask of the last two dimensions, made contiguous.
TypePtr triangleType(Call &call) {
  TypePtr self = call.tensor(0);
  if (!self || self->sizes().size() < 2)
    return nullptr;
  TypePtr mask = call.contiguous(DType::Bool, self->sizes().take_back(2), self->device());
  TypePtr number = call.contiguousLike(*self, {});
  return madeContiguous(call, elementwise(call.context, self->dtype(), {mask, self, number}));
}

TypePtr softplusType(Call &call) {
  TypePtr self = call.tensor(0);
  if (!self)
    return nullptr;
  TypePtr buffer = self->device().kind.str() == "cpu" ? self : call.contiguousLike(*self, {Dim(0)});
  return call.context.list({preserved(call.context, self->dtype(), *self, self->device()), buffer});
}

TypePtr broadcastType(Call &call) {
  auto tensors = tensorsAt(call.node, 0);
  if (!tensors || llvm::is_contained(*tensors, nullptr))
    return nullptr;
  auto sizes = broadcast(*tensors);
  if (!sizes)
    return nullptr;
  llvm::SmallVector<TypePtr, 4> results;
  for (TypePtr type : *tensors) {
    size_t added = sizes->size() - type->sizes().size();
    Sizes strides(sizes->size(), Dim(0));
    for (size_t i = 0; i != type->strides().size(); ++i)
      if (type->sizes()[i] == (*sizes)[added + i])
        strides[added + i] = type->strides()[i];
    results.push_back(call.context.tensor(type->dtype(), {*sizes, strides, type->stridesKnown()}, type->device()));
  }
  return call.context.list(results);
}

TypePtr foreachType(Call &call) {
  auto tensors = tensorsAt(call.node, 0);
  if (!tensors || llvm::is_contained(*tensors, nullptr))
    return nullptr;
  return call.context.list(*tensors);
}

} // namespace ccgraph::infer
