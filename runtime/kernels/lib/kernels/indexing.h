// Indexing by tensors: the part of a tensor that each index selects, shared by reading (index.cpp) and writing
// (scatter.cpp) operators.
//
// Two families. *Advanced indexing* (x[i, :, j]) replaces the indexed dimensions by the broadcast shape of the index
// tensors, at the place of the first one if they are adjacent, else in front (NumPy's rule). *Gathering* (gather,
// scatter) picks one element a line: out[i][j] = x[i][index[i][j]].
//
// Ownership: views of the tensor that is indexed. Failure: through KernelArgs; an index out of
// range names position, value and size. Cost: one small view an index.
#pragma once

#include "kernels/kernel_args.h"
#include "tensor/elements.h"

namespace ccgraph::runtime {

/// The handling of indices outside their dimension.
enum class OutOfRange : uint8_t { Refuse, Clamp };

/// x[indices], worked out.
class AdvancedIndex {
public:
  /// Trailing dimensions without an index, and None, stay. A b8 or u8 mask counts as the positions of its set elements.
  AdvancedIndex(KernelArgs &args, const Tensor &self, OptionalTensors indices,
                OutOfRange outOfRange = OutOfRange::Refuse);

  /// Sizes of x[indices].
  [[nodiscard]] const IntList &sizes() const { return sizes_; }
  /// Strides of new memory for x[indices] (PyTorch's TensorIterator).
  [[nodiscard]] const IntList &strides() const { return strides_; }
  /// Number of positions in the broadcast shape of the indices.
  [[nodiscard]] int64_t count() const { return static_cast<int64_t>(offsets_.size()); }
  /// The part of the indexed tensor at position `i`: the dimensions that stayed.
  [[nodiscard]] Tensor part(int64_t i) const;
  /// The matching part of a tensor of sizes().
  [[nodiscard]] Tensor partOfResult(const Tensor &result, int64_t i) const;

private:
  void setStrides(const Window &kept, llvm::ArrayRef<std::optional<Tensor>> indices);
  void addOffsets(KernelArgs &args, const Tensor &self, int64_t dim, const Tensor &index);

  Tensor kept_;              ///< self without the indexed dimensions
  Scratch<int64_t> offsets_; ///< in elements, one a position
  IntList indexSizes_;       ///< broadcast shape of the indices
  IntList sizes_;
  IntList strides_;
  int64_t place_ = 0; ///< position of indexSizes_ in sizes_
  OutOfRange outOfRange_;
};

/// A 0-d tensor as [1], others as they are.
[[nodiscard]] Tensor atLeastOneDim(const Tensor &tensor);

/// Positions of the elements that are not zero, i64[count, rank].
[[nodiscard]] Tensor positionsOf(const Tensor &mask);

/// self[.., index[..], ..] along `dim`, beside the elements of `other`, which is cut to index's
/// sizes. 0-d tensors count as [1].
struct Choice {
  Tensor self;
  int64_t dim;
  Tensor index;
  Tensor other;
};
/// Calls `body` for each element of the index, in row-major order with `dim` innermost: the address
/// of the chosen element of self, and that of the element of other.
void forEachChosen(KernelArgs &args, Choice choice, llvm::function_ref<void(std::byte *chosen, std::byte *other)> body);

} // namespace ccgraph::runtime
