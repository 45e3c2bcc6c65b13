// Lines: tensors seen as rows along one dimension, or along several flattened into one.
//
// Reductions, scans, sorts and softmax all work on one line at a time; these helpers put the line
// last, so that forEachRow hands it out.
//
// Ownership: views where they can be; dimsLast() copies where dimensions must be flattened.
// Nothing here fails, given dimensions in range. Cost: linear in the elements.
#pragma once

#include "kernels/kernel_args.h"
#include "tensor/elements.h"
#include "tensor/nest.h"

namespace ccgraph::runtime {

/// Returns the same memory with `dim` moved last; a 0-d tensor becomes [1].
[[nodiscard]] Tensor dimLast(const Tensor &tensor, int64_t dim);
/// A contiguous [outer, inner]: `dims`, flattened, are inner. 0-d tensors become [1, 1].
[[nodiscard]] Tensor dimsLast(const Tensor &tensor, IntListRef dims);
/// Sizes after reducing `dims`: of size 1 where `keep` is set, else gone.
[[nodiscard]] IntList reducedSizes(IntListRef sizes, IntListRef dims, bool keep);

/// A reduction: the reduced dimensions, whether they remain with size 1, and the dtype of its computation and result.
struct ReducedDims {
  IntList dims;
  bool keep = false;
  DType dtype = DType::F32;
};

/// A line that is folded: its elements, widened, from left to right, as often as a fold reads them.
template <typename T>
class Line {
public:
  /// `nest`: of the reduced dimensions.
  Line(const LoopNest &nest, DType dtype, std::byte *begin, int64_t size)
      : nest_(nest), dtype_(dtype), begin_(begin), size_(size) {}

  [[nodiscard]] int64_t size() const { return size_; }
  template <typename Visit>
  void forEach(Visit visit) const {
    Block<T> block;
    walk(nest_, begin_, [&](llvm::ArrayRef<Row> rows, int64_t count) {
      for (int64_t done = 0; done < count; done += blockSize) {
        llvm::MutableArrayRef<T> values = block.first(std::min(blockSize, count - done));
        readRow<T>(dtype_, {rows[0].data + done * rows[0].step, rows[0].step}, values);
        for (T value : values)
          visit(value);
      }
    });
  }

private:
  const LoopNest &nest_;
  DType dtype_;
  std::byte *begin_;
  int64_t size_;
};

/// The sizes of the reduction's result.
[[nodiscard]] inline IntList sizesOf(const Tensor &self, const ReducedDims &reduction) {
  return reducedSizes(self.sizes(), reduction.dims, reduction.keep);
}
/// Writes `fold` of each line into `out`, a contiguous tensor of the reduction's sizes and dtype, whose wide type is T.
template <typename T>
void foldLines(const Tensor &out, const Tensor &self, const ReducedDims &reduction,
               llvm::function_ref<T(const Line<T> &line)> fold);

/// The sum of all elements, or their mean, as the operator's result.
[[nodiscard]] Tensor foldedAll(KernelArgs &args, const Tensor &elements, bool mean);

} // namespace ccgraph::runtime
