// Views and what is put together and taken apart: other shapes of the same elements.
//
// A view shares its tensor's storage, as in PyTorch; cat, stack and what is read by indices are copies.
// Dimensions count from the end where negative.
//
// Failure: as tensor.h says. Cost: one call each, where nothing else is said.
#pragma once

#include "ccgraph/tracer/call.h"

#include <optional>

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::tracer {

/// The same elements in another shape; -1 once: what is left. Strides must allow a view: reshape copies where they do not.
[[nodiscard]] Tensor view(const Tensor &self, const std::vector<int64_t> &size);
[[nodiscard]] Tensor reshape(const Tensor &self, const std::vector<int64_t> &shape);
/// Dimensions start_dim to end_dim as one.
[[nodiscard]] Tensor flatten(const Tensor &self, int64_t start_dim = 0, int64_t end_dim = -1);
/// Of a matrix.
[[nodiscard]] Tensor t(const Tensor &self);
[[nodiscard]] Tensor transpose(const Tensor &self, int64_t dim0, int64_t dim1);
[[nodiscard]] Tensor permute(const Tensor &self, const std::vector<int64_t> &dims);
/// Dimensions of size 1 as many times, which takes no memory; -1: as it is.
[[nodiscard]] Tensor expand(const Tensor &self, const std::vector<int64_t> &size);
[[nodiscard]] Tensor unsqueeze(const Tensor &self, int64_t dim);
[[nodiscard]] Tensor squeeze(const Tensor &self, int64_t dim);
/// self[start:end:step] along a dimension; without end, to the last.
[[nodiscard]] Tensor slice(const Tensor &self, int64_t dim = 0, int64_t start = 0,
                           std::optional<int64_t> end = std::nullopt, int64_t step = 1);
/// self[index] along a dimension, which goes.
[[nodiscard]] Tensor select(const Tensor &self, int64_t dim, int64_t index);
/// Pieces of split_size, the last one perhaps smaller.
[[nodiscard]] TensorList split(const Tensor &self, int64_t split_size, int64_t dim = 0);
[[nodiscard]] TensorList split_with_sizes(const Tensor &self, const std::vector<int64_t> &split_sizes, int64_t dim = 0);
/// As many pieces of equal size, the last one perhaps smaller: recorded as a split, as PyTorch does.
[[nodiscard]] TensorList chunk(const Tensor &self, int64_t chunks, int64_t dim = 0);

[[nodiscard]] Tensor cat(const std::vector<Tensor> &tensors, int64_t dim = 0);
/// Along a new dimension.
[[nodiscard]] Tensor stack(const std::vector<Tensor> &tensors, int64_t dim = 0);

/// self[index] along a dimension, for each of a vector of indices.
[[nodiscard]] Tensor index_select(const Tensor &self, int64_t dim, const Tensor &index);
/// self[indices[0], indices[1], ...]; an absent one stands for all of its dimension.
[[nodiscard]] Tensor index(const Tensor &self, const std::vector<Tensor> &indices);
/// Of each element of index, the element of self there along a dimension.
[[nodiscard]] Tensor gather(const Tensor &self, int64_t dim, const Tensor &index);
/// self, with src added where index says along a dimension.
[[nodiscard]] Tensor scatter_add(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &src);
/// The lower triangle of matrices, zeros elsewhere; diagonal 1 keeps one more.
[[nodiscard]] Tensor tril(const Tensor &self, int64_t diagonal = 0);
[[nodiscard]] Tensor triu(const Tensor &self, int64_t diagonal = 0);

} // namespace ccgraph::tracer
// NOLINTEND(readability-identifier-naming)
