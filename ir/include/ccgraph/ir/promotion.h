// Type promotion: in which dtype arithmetic on several operands happens, and which dtype a result may be stored in.
//
// PyTorch's rules: torch.result_type, "Type promotion" in the documentation of tensor attributes; c10/core/ScalarType.h
// (promoteTypes, toComplexType, canCast), aten/src/ATen/native/TypeProperties.cpp (result_type). Operands are tensors with
// dimensions, 0-d tensors, or Python numbers; a lower kind changes the dtype only where its class (bool < integer < float <
// complex) is above that of all kinds above it. A Python number has no dtype of its own: it stands for its class, with the default
// dtypes i64, f32 and c64.
//
// Plain functions of values; nothing is owned, and nothing fails: any two dtypes have a common one. Cost: linear in the operands.
#pragma once

#include "ccgraph/ir/dtype.h"

#include "llvm/ADT/ArrayRef.h"

namespace ccgraph {

enum class OperandKind : uint8_t {
  Tensor, ///< of one dimension or more
  ZeroDim,
  Number, ///< of Python; b8, i64, f64 or c128 say its class
};

struct PromotedOperand {
  DType dtype = DType::F32;
  OperandKind kind = OperandKind::Tensor;
};

/// The smallest dtype that holds both: u8 and i8 -> i16, f16 and bf16 -> f32, i64 and f16 -> f16.
[[nodiscard]] DType promoteTypes(DType a, DType b);
/// The dtype in which an operator on these computes; f32 for none.
[[nodiscard]] DType resultType(llvm::ArrayRef<PromotedOperand> operands);

/// The dtype itself if it is float or complex, else f32: where PyTorch yields floats whatever it is given (div, exp).
[[nodiscard]] DType floatTypeOf(DType dtype);
/// f16 of c32, f32 of c64, f64 of c128; other dtypes unchanged.
[[nodiscard]] DType realTypeOf(DType dtype);
/// The complex dtype whose parts are of this float dtype; c64 where there is none (bf16).
[[nodiscard]] DType complexTypeOf(DType dtype);
/// torch.can_cast: may a result of this dtype be stored in place into the other? Only the class may not fall.
[[nodiscard]] bool canStore(DType from, DType to);

} // namespace ccgraph
