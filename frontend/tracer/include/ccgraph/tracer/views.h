// Views, concatenation, splits and indexing: other shapes of the same elements.
//
// A view shares its tensor's storage, as in PyTorch; the results of cat, stack and indexing are copies. Dimensions
// count from the end where negative.
//
// Failure: see tensor.h. Cost: one call each, unless documented otherwise.
#pragma once

#include "ccgraph/tracer/call.h"

#include <optional>

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::tracer {

/// Returns the same elements in another shape; one size may be -1 and is then computed. Strides must allow a view;
/// reshape copies where they do not.
[[nodiscard]] Tensor view(const Tensor &self, const std::vector<int64_t> &size);
[[nodiscard]] Tensor reshape(const Tensor &self, const std::vector<int64_t> &shape);
/// Merges dimensions start_dim to end_dim into one.
[[nodiscard]] Tensor flatten(const Tensor &self, int64_t start_dim = 0, int64_t end_dim = -1);
/// Transposes a matrix.
[[nodiscard]] Tensor t(const Tensor &self);
[[nodiscard]] Tensor transpose(const Tensor &self, int64_t dim0, int64_t dim1);
[[nodiscard]] Tensor permute(const Tensor &self, const std::vector<int64_t> &dims);
/// Repeats dimensions of size 1 up to `size`, without memory; -1 leaves a dimension unchanged.
[[nodiscard]] Tensor expand(const Tensor &self, const std::vector<int64_t> &size);
[[nodiscard]] Tensor unsqueeze(const Tensor &self, int64_t dim);
[[nodiscard]] Tensor squeeze(const Tensor &self, int64_t dim);
/// Returns self[start:end:step] along a dimension; without end, up to the last element.
[[nodiscard]] Tensor slice(const Tensor &self, int64_t dim = 0, int64_t start = 0,
                           std::optional<int64_t> end = std::nullopt, int64_t step = 1);
/// Returns self[index] along a dimension and removes this dimension.
[[nodiscard]] Tensor select(const Tensor &self, int64_t dim, int64_t index);
/// Splits into pieces of split_size; the last one may be smaller.
[[nodiscard]] TensorList split(const Tensor &self, int64_t split_size, int64_t dim = 0);
[[nodiscard]] TensorList split_with_sizes(const Tensor &self, const std::vector<int64_t> &split_sizes, int64_t dim = 0);
/// Splits into `chunks` pieces of equal size, the last one perhaps smaller; recorded as a split, as in PyTorch.
[[nodiscard]] TensorList chunk(const Tensor &self, int64_t chunks, int64_t dim = 0);

[[nodiscard]] Tensor cat(const std::vector<Tensor> &tensors, int64_t dim = 0);
/// Concatenates along a new dimension.
[[nodiscard]] Tensor stack(const std::vector<Tensor> &tensors, int64_t dim = 0);

/// Returns self[index] along a dimension, for each of a vector of indices.
[[nodiscard]] Tensor index_select(const Tensor &self, int64_t dim, const Tensor &index);
/// Returns self[indices[0], indices[1], ...]; an absent index selects all of its dimension.
[[nodiscard]] Tensor index(const Tensor &self, const std::vector<Tensor> &indices);
/// Returns for each element of index the element of self at that position along a dimension.
[[nodiscard]] Tensor gather(const Tensor &self, int64_t dim, const Tensor &index);
/// Returns self with src added at the positions of index along a dimension.
[[nodiscard]] Tensor scatter_add(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &src);
/// Returns the lower triangle of matrices, zeros elsewhere; diagonal 1 keeps one more diagonal.
[[nodiscard]] Tensor tril(const Tensor &self, int64_t diagonal = 0);
[[nodiscard]] Tensor triu(const Tensor &self, int64_t diagonal = 0);

} // namespace ccgraph::tracer
// NOLINTEND(readability-identifier-naming)
