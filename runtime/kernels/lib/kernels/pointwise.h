// Elementwise operators: one description of the arithmetic, one loop for all.
//
// An operator is up to three functions of one element of each operand, in the wide types of elements.h; the promoted
// dtype selects one. Broadcasting, promotion, rounding, result strides and in-place writing are common to all.
//
// Ownership: descriptions are constants. Failure: through KernelArgs (sizes that do not broadcast, an unsupported
// dtype, an in-place result that does not fit its target). Cost: one indirect call an element.
#pragma once

#include "kernels/kernel_args.h"
#include "tensor/elements.h"

namespace ccgraph::runtime {

enum class ResultType : uint8_t {
  Common,   ///< the promoted dtype
  Floating, ///< promoted, integers and bool become f32 (div, exp)
  Truth,    ///< computed in the promoted dtype, yields bool
  Integral, ///< promoted, only integers and bool
};

struct PointwiseOp {
  /// Each takes the operands' elements in order. Null: the class is rejected. Integers without `integer` are rejected
  /// too, unless the result is Floating.
  double (*real)(const double *x) = nullptr;
  int64_t (*integer)(const int64_t *x) = nullptr;
  Complex (*complex)(const Complex *x) = nullptr;
  ResultType result = ResultType::Common;
  /// Operands from this index on take no part in promotion; they are rounded to the common dtype (alpha, threshold).
  unsigned promoting = ~0U;
  /// 0-d operands enter in f32 where the common dtype is f16 or bf16, as PyTorch's CPU add, sub, mul and div read them.
  bool scalarsInF32 = false;
  /// Operands that take no part in promotion do, too (the value of addcmul).
  bool weightsInF32 = false;
};

using Operands = llvm::SmallVector<Operand, 4>;

/// A new tensor of the broadcast sizes; its strides follow the operands' (PyTorch's TensorIterator).
[[nodiscard]] Tensor pointwise(KernelArgs &args, llvm::ArrayRef<Operand> operands, const PointwiseOp &op);
/// Computes in the promoted dtype of all operands, writes into `out`, which may be one of them.
void pointwiseInto(KernelArgs &args, const Tensor &out, llvm::ArrayRef<Operand> operands, const PointwiseOp &op);

/// Writes the result into the first operand and returns it.
[[nodiscard]] Value pointwiseIntoFirst(KernelArgs &args, llvm::ArrayRef<Operand> operands, const PointwiseOp &op);

/// An empty result with the sizes and strides that an elementwise operator on these tensors has. Sizes must broadcast.
[[nodiscard]] Tensor pointwiseResult(DType dtype, llvm::ArrayRef<Tensor> operands);
/// Broadcast sizes of the operands; fails where they do not match.
[[nodiscard]] IntList broadcastOf(KernelArgs &args, llvm::ArrayRef<Operand> operands);
/// A copy in another dtype with the same layout, or the tensor itself.
[[nodiscard]] Tensor toDType(const Tensor &tensor, DType dtype);

/// A Python float, or an int, as operand.
[[nodiscard]] Operand numberOperand(double value);
[[nodiscard]] Operand integerOperand(int64_t value);
/// The first `count` arguments are the operands.
[[nodiscard]] Operands operandsOf(KernelArgs &args, unsigned count);
/// Has one more argument, a factor that defaults to 1 (alpha, value).
[[nodiscard]] Operands operandsAndFactor(KernelArgs &args, unsigned count);

/// Kernel of an operator whose operands are its first `count` arguments, as they are registered in a family's table.
template <const PointwiseOp &op, unsigned count>
Value pointwiseKernel(KernelArgs &args) {
  return pointwise(args, operandsOf(args, count), op);
}
/// The same, written into the first argument, which is returned.
template <const PointwiseOp &op, unsigned count>
Value pointwiseInPlace(KernelArgs &args) {
  return pointwiseIntoFirst(args, operandsOf(args, count), op);
}
/// Both with a factor after the operands.
template <const PointwiseOp &op, unsigned count>
Value weightedKernel(KernelArgs &args) {
  return pointwise(args, operandsAndFactor(args, count), op);
}
template <const PointwiseOp &op, unsigned count>
Value weightedInPlace(KernelArgs &args) {
  return pointwiseIntoFirst(args, operandsAndFactor(args, count), op);
}

} // namespace ccgraph::runtime
