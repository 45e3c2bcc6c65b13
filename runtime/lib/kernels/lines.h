// Lines: tensors seen as rows along one dimension, or along several flattened into one.
//
// Reductions, scans, sorts and softmax all work on one line at a time; these helpers put the line
// last, so that forEachRow hands it out.
//
// Ownership: views where they can be, copies in new memory where dimensions must be flattened.
// Nothing here fails, given dimensions in range. Cost: linear in the elements.
#pragma once

#include "kernels/elements.h"
#include "kernels/kernel_args.h"

namespace ccgraph::runtime {

/// The same memory with `dim` moved last; a 0-d tensor becomes [1].
[[nodiscard]] Tensor dimLast(const Tensor &tensor, int64_t dim);
/// A contiguous [outer, inner]: `dims`, flattened, are inner. 0-d tensors become [1, 1].
[[nodiscard]] Tensor dimsLast(const Tensor &tensor, DimsRef dims);
/// Sizes after reducing `dims`: of size 1 where `keep` is set, else gone.
[[nodiscard]] Dims reducedSizes(DimsRef sizes, DimsRef dims, bool keep);

/// What a reduction does: over which dimensions, whether they stay with size 1, and the dtype in
/// which it computes and yields.
struct Reduction {
  Dims dims;
  bool keep = false;
  DType dtype = DType::F32;
};

/// A new contiguous tensor whose elements are `fold` of one line each; T is the wide type of reduction.dtype.
template <typename T>
[[nodiscard]] Tensor foldLines(const Tensor &self, const Reduction &reduction,
                               llvm::function_ref<T(llvm::ArrayRef<T> line)> fold);

} // namespace ccgraph::runtime
