// LoopNest: equally sized tensors as one nest of loops, with as few loops as their strides allow.
//
// A dimension is merged with the one before it where a step of that equals a pass along this, in every tensor. So
// contiguous tensors of any sizes are one row. A nest serves all tensors of the same strides, such as the lines of one
// tensor.
//
// Plain value. Nothing here fails. Cost: O(dimensions x tensors), without memory of its own for up to six of either.
#pragma once

#include "tensor/elements.h"

namespace ccgraph::runtime {

struct LoopNest {
  /// The outermost first; at least one.
  IntList sizes;
  /// in bytes, by loop, then by tensor
  llvm::SmallVector<int64_t, 24> steps;
  size_t tensors = 0;

  explicit LoopNest(llvm::ArrayRef<Tensor> tensors);
  [[nodiscard]] llvm::ArrayRef<int64_t> stepsOf(size_t loop) const {
    return llvm::makeArrayRef(steps).slice(loop * tensors, tensors);
  }
};

/// Calls `body` with the innermost rows in row-major order, from the tensors' first elements on; never where there are
/// none.
template <typename Body>
void walk(const LoopNest &nest, llvm::ArrayRef<std::byte *> begin, Body body) {
  if (llvm::is_contained(nest.sizes, 0))
    return;
  size_t inner = nest.sizes.size() - 1;
  llvm::SmallVector<Row, 6> rows;
  for (size_t i = 0; i < nest.tensors; ++i)
    rows.push_back({begin[i], nest.stepsOf(inner)[i]});
  IntList index(inner, 0);
  for (;;) {
    body(llvm::makeArrayRef(rows), nest.sizes[inner]);
    size_t loop = inner;
    bool wraps = true;
    while (wraps && loop-- > 0) {
      wraps = ++index[loop] == nest.sizes[loop];
      for (size_t i = 0; i < nest.tensors; ++i)
        rows[i].data += nest.stepsOf(loop)[i] * (wraps ? 1 - nest.sizes[loop] : 1);
      if (wraps)
        index[loop] = 0;
    }
    if (wraps)
      return;
  }
}

} // namespace ccgraph::runtime
