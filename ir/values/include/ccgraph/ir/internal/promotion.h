// Type promotion: the dtype in which an operator computes on several operands, and the dtypes in which a result may be
// stored.
//
// The rules are PyTorch's: torch.result_type, "Type promotion" in the documentation of tensor attributes;
// c10/core/ScalarType.h (promoteTypes, toComplexType, canCast), aten/src/ATen/native/TypeProperties.cpp (result_type).
// Operands are tensors with dimensions, 0-d tensors, or Python numbers. A lower kind changes the dtype only if its
// class (bool < integer < float < complex) is above that of all higher kinds. A Python number has no dtype of its own;
// only its class counts, with the default dtypes i64, f32 and c64.
//
// Ownership: none; plain functions of values. Failure: none; any two dtypes have a common one. Cost: linear in the
// operands.
#pragma once

#include "ccgraph/ir/dtype.h"

#include "llvm/ADT/ArrayRef.h"

namespace ccgraph {

enum class OperandKind : uint8_t {
  Tensor, ///< of one dimension or more
  ZeroDim,
  Number, ///< a Python number; b8, i64, f64 or c128 give its class
};

struct PromotedOperand {
  DType dtype = DType::F32;
  OperandKind kind = OperandKind::Tensor;
};

/// Returns the smallest dtype that holds both: u8 and i8 -> i16, f16 and bf16 -> f32, i64 and f16 -> f16.
[[nodiscard]] DType promoteTypes(DType a, DType b);
/// Returns the dtype in which an operator on these computes; f32 for none.
[[nodiscard]] DType resultType(llvm::ArrayRef<PromotedOperand> operands);

/// Returns the dtype itself if it is float or complex, else f32: for operators that always return floats (div, exp).
[[nodiscard]] DType floatTypeOf(DType dtype);
/// Returns f16 for c32, f32 for c64, f64 for c128; other dtypes unchanged.
[[nodiscard]] DType realTypeOf(DType dtype);
/// Returns the complex dtype whose parts are of this float dtype; c64 if there is none (bf16).
[[nodiscard]] DType complexTypeOf(DType dtype);
/// Returns true if a result of this dtype may be stored in place into the other (torch.can_cast). Only the class may
/// not decrease.
[[nodiscard]] bool canStore(DType from, DType to);

} // namespace ccgraph
