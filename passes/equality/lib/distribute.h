// Cuts the tensors of the single step into those of the ranks, by their placements.
//
// Ownership: values. Failure: a text that states why a shape cannot be cut so. Cost: linear in the tensor for each
// rank.
#pragma once

#include "array.h"

#include "ccgraph/ir/placement.h"

#include "llvm/Support/Error.h"

namespace ccgraph::equality {

/// Makes the pseudo-random parts of tensors that are partial sums.
struct PartialParts {
  const Field *field = nullptr;
  /// names the tensor
  uint64_t key = 0;
};

/// Returns the part of a rank. An axis on which the tensor is partial gets parts that are pseudo-random but for the
/// last, so that their sum (or mean) is the tensor.
[[nodiscard]] llvm::Expected<Array> partOf(const Array &whole, const TensorPlacement &placement,
                                           llvm::ArrayRef<NamedAxis> mesh, int64_t rank, const PartialParts &parts);

/// Returns the tensor that the ranks hold together: the reverse of partOf. `ofRanks` are in the order of the ranks; of
/// ranks that hold equal parts, the first one counts. `sizes` are those of the whole tensor.
[[nodiscard]] llvm::Expected<Array> joinedParts(std::vector<Array> ofRanks, const TensorPlacement &placement,
                                                llvm::ArrayRef<NamedAxis> mesh, IntListRef sizes);
/// Returns the sizes of the whole tensor whose parts have these sizes on the ranks. Of a tensor that is cut in another
/// shape, the first two dimensions of this shape are one.
[[nodiscard]] IntList wholeSizes(llvm::ArrayRef<IntList> ofRanks, const TensorPlacement &placement,
                                 llvm::ArrayRef<NamedAxis> mesh);

/// Returns the elements from `start` to before `end` along a dimension.
[[nodiscard]] Array slicedArray(const Array &array, size_t dim, int64_t start, int64_t end);
[[nodiscard]] Array concatenated(llvm::ArrayRef<Array> parts, size_t dim);
[[nodiscard]] Array addedArrays(const Array &a, const Array &b);
[[nodiscard]] Array scaledArray(const Array &a, Word by);
/// Returns the roots of unity of a sum of logarithms, which are the products of theirs; null if no summand has any.
[[nodiscard]] std::shared_ptr<const Words> unityOfSum(llvm::ArrayRef<Array> summands);

/// Returns whether a rank holds its shard with padding: a shard smaller than the first one, in the sizes of that one.
[[nodiscard]] bool isPaddedShard(IntListRef held, IntListRef own, IntListRef first);
/// Returns the array with zeros after its elements in each dimension that is smaller than `sizes`.
[[nodiscard]] Array paddedTo(const Array &array, IntListRef sizes);
/// Returns the first elements in each dimension that is larger than `sizes`.
[[nodiscard]] Array withoutPadding(const Array &array, IntListRef sizes);

/// Combines the elements of arrays of equal sizes, at least one.
template <class Combine>
Array combinedArrays(llvm::ArrayRef<Array> arrays, Combine combine) {
  Words words(*arrays.front().words);
  unsigned digits = arrays.front().digits;
  for (const Array &other : arrays.drop_front()) {
    digits = std::min<unsigned>(digits, other.digits);
    for (size_t i = 0; i != words.size(); ++i)
      words[i] = combine(words[i], (*other.words)[i]);
  }
  return makeArray(arrays.front().kind, arrays.front().sizes, std::move(words), digits);
}

} // namespace ccgraph::equality
