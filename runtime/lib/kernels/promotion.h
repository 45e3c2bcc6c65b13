// Type promotion: which dtype arithmetic on several operands happens in.
//
// PyTorch's rule (torch.result_type, "Type promotion" in the tensor attributes documentation):
// operands are tensors with dimensions, 0-d tensors, or Python numbers; a lower kind changes the
// dtype only if its class (bool < integer < float < complex) is higher than that of the kinds above
// it.
//
// Nothing here fails or owns anything: any two dtypes have a common one. Each call is O(operands).
#pragma once

#include "kernels/kernel_args.h"

namespace ccgraph::runtime {

/// The smallest dtype that holds both, e.g. u8 and i8 -> i16, f16 and bf16 -> f32, i64 and f16 -> f16.
[[nodiscard]] DType promoteTypes(DType a, DType b);
/// The dtype in which an operator on these computes; tensors alone have no numbers among them.
[[nodiscard]] DType resultType(llvm::ArrayRef<Operand> operands);
[[nodiscard]] DType resultType(llvm::ArrayRef<Tensor> tensors);
/// The dtype itself if it is float or complex, else f32, PyTorch's default.
[[nodiscard]] DType floatTypeOf(DType dtype);
/// f32 of c64, f64 of c128; other dtypes unchanged.
[[nodiscard]] DType realTypeOf(DType dtype);
/// torch.can_cast: may a result of this dtype be stored in place into the other? Only the class may not fall.
[[nodiscard]] bool canStore(DType from, DType to);

} // namespace ccgraph::runtime
