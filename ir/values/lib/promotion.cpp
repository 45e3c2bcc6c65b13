#include "ccgraph/ir/internal/promotion.h"

#include "llvm/Support/ErrorHandling.h"

#include <utility>

namespace ccgraph {
namespace {

// The rule has two steps (torch.result_type). Within one kind of operand, dtypes are joined to the smallest that holds
// both. Between kinds, tensors with dimensions come first, then 0-d tensors, then Python numbers; a lower kind counts
// only if its class is higher:
//   f16[4] + f64[]          f16    both floats: the tensor with dimensions decides
//   i32[4] + f64[]          f64    a float beats an integer
//   i64[4] + 2.5            f32    only the class of a number counts, with its default dtype
//   u8[4] + i8[4]           i16    no 8-bit type holds -128 and 255
//   f16[4] + 1j             c32    a complex number keeps the precision of the tensor
bool isSigned(DType dtype) {
  return dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32 || dtype == DType::I64;
}

DType promoteIntegers(DType a, DType b) {
  if (isSigned(a) == isSigned(b))
    return sizeInBytes(a) >= sizeInBytes(b) ? a : b;
  DType negative = isSigned(a) ? a : b;
  DType positive = isSigned(a) ? b : a;
  if (sizeInBytes(negative) > sizeInBytes(positive))
    return negative;
  // A sign needs one bit more than the unsigned type has; there is no type wider than i64.
  switch (sizeInBytes(positive)) {
  case 1:
    return DType::I16;
  case 2:
    return DType::I32;
  }
  return DType::I64;
}

/// Returns the default dtype of a number's class.
DType defaultTypeOf(DType number) {
  if (number == DType::C128)
    return DType::C64;
  return number == DType::F64 ? DType::F32 : number;
}

std::optional<DType> join(std::optional<DType> a, DType b) { return a ? promoteTypes(*a, b) : b; }

/// Returns the dtype of a higher kind of operand; a lower kind raises it only across classes.
std::optional<DType> raise(std::optional<DType> higher, std::optional<DType> lower) {
  if (!higher || !lower)
    return higher ? higher : lower;
  if (classOf(*lower) <= classOf(*higher))
    return higher;
  return isComplex(*lower) && isFloat(*higher) ? complexTypeOf(*higher) : promoteTypes(*higher, *lower);
}

} // namespace

DType complexTypeOf(DType dtype) {
  if (isComplex(dtype))
    return dtype;
  if (dtype == DType::F16)
    return DType::C32;
  return dtype == DType::F64 ? DType::C128 : DType::C64;
}

DType promoteTypes(DType a, DType b) {
  if (a == b)
    return a;
  if (classOf(a) < classOf(b))
    std::swap(a, b);
  switch (classOf(a)) {
  case DTypeClass::Bool:
    return a;
  case DTypeClass::Integer:
    return classOf(b) == DTypeClass::Bool ? a : promoteIntegers(a, b);
  case DTypeClass::Float:
    if (!isFloat(b))
      return a;
    if (sizeInBytes(a) == sizeInBytes(b))
      return DType::F32;
    return sizeInBytes(a) > sizeInBytes(b) ? a : b;
  case DTypeClass::Complex:
    if (!isFloat(b) && !isComplex(b))
      return a;
    b = complexTypeOf(b);
    return sizeInBytes(a) >= sizeInBytes(b) ? a : b;
  }
  llvm_unreachable("class of dtype");
}

DType resultType(llvm::ArrayRef<PromotedOperand> operands) {
  std::optional<DType> shaped, zeroDim, number;
  for (const PromotedOperand &operand : operands) {
    switch (operand.kind) {
    case OperandKind::Tensor:
      shaped = join(shaped, operand.dtype);
      break;
    case OperandKind::ZeroDim:
      zeroDim = join(zeroDim, operand.dtype);
      break;
    case OperandKind::Number:
      number = join(number, defaultTypeOf(operand.dtype));
      break;
    }
  }
  return raise(shaped, raise(zeroDim, number)).value_or(DType::F32);
}

DType floatTypeOf(DType dtype) { return isFloat(dtype) || isComplex(dtype) ? dtype : DType::F32; }

DType realTypeOf(DType dtype) {
  if (dtype == DType::C128)
    return DType::F64;
  if (dtype == DType::C32)
    return DType::F16;
  return dtype == DType::C64 ? DType::F32 : dtype;
}

bool canStore(DType from, DType to) { return classOf(from) <= classOf(to); }

} // namespace ccgraph
