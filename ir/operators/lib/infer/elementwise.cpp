#include "infer/families.h"
#include "infer/symbolic_layout.h"

#include "ccgraph/ir/internal/promotion.h"
#include "ccgraph/ir/strides.h"

#include <functional>

namespace ccgraph::infer {
namespace {

/// The operands of an elementwise call, by kind.
struct Operands {
  llvm::SmallVector<TypePtr, 4> tensors;
  llvm::SmallVector<PromotedOperand, 6> promoted;
  bool openNumber = false; ///< a node yields a number, perhaps a float
  bool known = true;
};

/// Returns true for options of the computation, and for a mask: neither takes part in the promotion of dtypes.
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

void addNode(const Type *type, llvm::StringRef name, Operands &out) {
  if (type && type->isTensor()) {
    out.tensors.push_back(type);
    if (!isMask(name))
      out.promoted.push_back({type->dtype(), type->sizes().empty() ? OperandKind::ZeroDim : OperandKind::Tensor});
  } else if (!type || type->kind() != Type::Kind::Symbolic) {
    out.known = false;
  } else if (!isOption(name)) {
    out.promoted.push_back({DType::I64, OperandKind::Number});
    out.openNumber = true;
  }
}

/// A complex number is Python text here.
void addOperand(const Call &call, const Argument &argument, llvm::StringRef name, Operands &out) {
  if (argument.is(Argument::Kind::Operand))
    return addNode(call.node.operand(argument)->type(), name, out);
  if (isOption(name))
    return;
  out.known &= !argument.isSequence() && !argument.is(Argument::Kind::Python);
  if (auto number = classOfNumber(argument))
    out.promoted.push_back({*number, OperandKind::Number});
}

/// Empty where one of them is not known, or none is a tensor.
std::optional<Operands> operandsOf(const Call &call) {
  Operands operands;
  const auto &params = call.node.op()->params;
  for (size_t i = 0; i != call.node.args().size(); ++i)
    addOperand(call, call.node.args()[i], i < params.size() ? llvm::StringRef(params[i].name) : "", operands);
  for (const NamedArgument &entry : call.node.kwargs())
    addOperand(call, entry.value, entry.name.str(), operands);
  return operands.known && !operands.tensors.empty() ? std::optional(std::move(operands)) : std::nullopt;
}

/// The dtype that promotion gives. It is assumed where a number makes it a float, since torch.set_default_dtype then
/// decides which.
DType commonDType(Call &call, const Operands &operands) {
  auto isNumber = [](const PromotedOperand &operand) { return operand.kind == OperandKind::Number; };
  llvm::SmallVector<PromotedOperand, 6> tensors;
  llvm::copy_if(operands.promoted, std::back_inserter(tensors), std::not_fn(isNumber));
  DType common = resultType(operands.promoted);
  DTypeClass ofTensors = tensors.empty() ? DTypeClass::Bool : classOf(resultType(tensors));
  call.assumeUnless(classOf(common) == ofTensors || classOf(common) < DTypeClass::Float);
  call.assumeUnless(!operands.openNumber || ofTensors >= DTypeClass::Float);
  return common;
}

TypePtr computed(Call &call, DType (*resultOf)(DType common)) {
  auto operands = operandsOf(call);
  return operands ? elementwise(call, resultOf(commonDType(call, *operands)), operands->tensors) : nullptr;
}

} // namespace

TypePtr arithmeticType(Call &call) {
  return computed(call, [](DType common) { return common; });
}
TypePtr floatType(Call &call) {
  auto operands = operandsOf(call);
  if (!operands)
    return nullptr;
  DType common = commonDType(call, *operands);
  call.assumeUnless(classOf(common) >= DTypeClass::Float); // because integers become the default dtype
  return elementwise(call, floatTypeOf(common), operands->tensors);
}
TypePtr realType(Call &call) { return computed(call, realTypeOf); }
TypePtr boolType(Call &call) {
  auto operands = operandsOf(call);
  return operands ? elementwise(call, DType::Bool, operands->tensors) : nullptr;
}

// PyTorch computes where(condition, x, number), with a condition laid out as an elementwise operator does, and a number
// as a tensor without dimensions.
TypePtr chosenType(Call &call) {
  auto operands = operandsOf(call);
  if (!operands)
    return nullptr;
  DType dtype = commonDType(call, *operands);
  if (!broadcast(operands->tensors))
    return elementwise(call, dtype, operands->tensors); // which refuses them
  TypePtr self = operands->tensors.front(), compared = operands->tensors.back();
  TypePtr condition = elementwise(call, DType::Bool, {compared});
  TypePtr number = call.contiguousLike(*self, {});
  if (!condition)
    return nullptr;
  llvm::SmallVector<TypePtr, 4> all = {condition, number};
  all.append(operands->tensors.begin(), operands->tensors.end());
  return elementwise(call, dtype, all);
}

// where(condition, x, number), whose condition is an operand.
TypePtr chosenByOperand(Call &call) {
  auto operands = operandsOf(call);
  if (!operands)
    return nullptr;
  operands->tensors.push_back(call.contiguousLike(*operands->tensors.front(), {}));
  return elementwise(call, commonDType(call, *operands), operands->tensors);
}

TypePtr likeType(Call &call) {
  TypePtr self = call.tensor(0);
  return self ? elementwise(call, self->dtype(), {self}) : nullptr;
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
  return madeContiguous(call, elementwise(call, self->dtype(), {mask, number, self}));
}

// tril(x) is where(mask, x, 0) of a mask of the last two dimensions, made contiguous.
TypePtr triangleType(Call &call) {
  TypePtr self = call.tensor(0);
  if (!self || self->sizes().size() < 2)
    return nullptr;
  TypePtr mask = call.contiguous(DType::Bool, self->sizes().take_back(2), self->device());
  TypePtr number = call.contiguousLike(*self, {});
  return madeContiguous(call, elementwise(call, self->dtype(), {mask, self, number}));
}

TypePtr softplusType(Call &call) {
  TypePtr self = call.tensor(0);
  if (!self)
    return nullptr;
  TypePtr buffer = self->device().kind.str() == "cpu" ? self : call.contiguousLike(*self, {Dim(0)});
  return call.context.list({preserved(call, self->dtype(), *self, self->device()), buffer});
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
    DimList strides(sizes->size(), Dim(0));
    for (size_t i = 0; i != type->strides().size(); ++i)
      if (type->sizes()[i] == (*sizes)[added + i])
        strides[added + i] = type->strides()[i];
    results.push_back(call.context.tensor(type->dtype(), {*sizes, strides, type->stridesKnown()}, type->device()));
  }
  return call.context.list(results);
}

/// Has the result of an elementwise call of this operand alone the strides of the operand? Where a dimension has one
/// element, the kernels of PyTorch choose different strides unless the layout is that of an allocation.
static bool keepsStrides(const Type &type) {
  auto sizes = staticDims(type.sizes());
  auto strides = staticDims(type.strides());
  bool dense = sizes && strides && type.stridesKnown() && isDense(*sizes, *strides);
  return isCanonical(type) || (dense && llvm::all_of(*sizes, [](int64_t size) { return size > 1; }));
}

// A list like the first one, which follows the number in _foreach_pow.ScalarAndTensor. The type is certain for floats,
// alone or with one real number. A real number makes floats of integers, whose type is not computed.
TypePtr foreachType(Call &call) {
  const Argument *first = argumentAt(call.node, 0);
  const int list = first && first->isSequence() ? 0 : 1;
  auto tensors = tensorsAt(call.node, list);
  if (!tensors || llvm::is_contained(*tensors, nullptr))
    return nullptr;
  const Argument *number = argumentAt(call.node, 1 - list);
  const bool isReal = !number || number->is(Argument::Kind::Int) || number->is(Argument::Kind::Float);
  const bool areFloats =
      llvm::all_of(*tensors, [](TypePtr type) { return type->isTensor() && isFloat(type->dtype()); });
  if (number && number->is(Argument::Kind::Float) && !areFloats)
    return nullptr;
  call.assumeUnless(isReal && areFloats && llvm::all_of(*tensors, [](TypePtr type) { return keepsStrides(*type); }));
  return call.context.list(*tensors);
}

// One number for each tensor.
TypePtr foreachNormType(Call &call) {
  auto tensors = tensorsAt(call.node, 0);
  if (!tensors || llvm::is_contained(*tensors, nullptr))
    return nullptr;
  llvm::SmallVector<TypePtr, 8> norms;
  for (TypePtr type : *tensors)
    norms.push_back(call.contiguous(realTypeOf(type->dtype()), {}, type->device()));
  return call.context.list(norms);
}

// Integers become floats.
TypePtr foreachFloatType(Call &call) {
  TypePtr like = foreachType(call);
  llvm::SmallVector<TypePtr, 8> results;
  for (TypePtr type : like ? like->elements() : llvm::ArrayRef<TypePtr>())
    results.push_back(call.context.tensor(floatTypeOf(type->dtype()),
                                          {type->sizes(), type->strides(), type->stridesKnown()}, type->device()));
  return like ? call.context.list(results) : nullptr;
}

} // namespace ccgraph::infer
