// The checks of one call, before it reaches a backend, with the words of torch.distributed 2.15.
//
// Ownership: none. Failure: group.dtype and group.argument. Cost: linear in the tensors of the call.
#pragma once

#include "ccgraph/runtime/group_call.h"

#include "llvm/Support/Error.h"

namespace ccgraph::runtime {

/// The place of a rank in its group.
struct GroupPlace {
  int64_t rank = 0;
  int64_t size = 1;
};
[[nodiscard]] llvm::Error checkCall(const GroupCall &call, const GroupPlace &place);
/// The checks of the reduction that torch.distributed leaves to the backend, which counts the call before it makes
/// them.
[[nodiscard]] llvm::Error checkReductionOf(const GroupCall &call);

/// The form of a call of one tensor in place. Whether such a call is valid depends on nothing else, so a program that
/// repeats a call has it checked once.
struct CallForm {
  GroupOp op = GroupOp::AllReduce;
  DType dtype = DType::F32;
  Reduction reduction;
  int64_t root = 0;

  /// None for other calls.
  [[nodiscard]] static std::optional<CallForm> of(const GroupCall &call);
  /// Returns whether this is the form of the call.
  [[nodiscard]] bool matches(const GroupCall &call) const {
    return call.op == op && call.inputs.size() == 1 && call.inputs.front().dtype() == dtype &&
           call.reduction == reduction && call.root == root;
  }
};

/// A view of a complex tensor as pairs of real numbers: c64[2] -> f32[2, 2].
[[nodiscard]] Tensor viewAsReal(const Tensor &tensor);
/// Tensors of both dtypes may be in one call: equal, or complex64 and float32.
[[nodiscard]] DType dtypeInCalls(DType dtype);

} // namespace ccgraph::runtime
