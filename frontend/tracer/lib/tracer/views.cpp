#include "ccgraph/tracer/views.h"

#include "tracer/mode.h"

#include <algorithm>
#include <limits>

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::tracer {

Tensor view(const Tensor &self, const std::vector<int64_t> &size) { return call("aten.view.default", {self, size}); }

Tensor reshape(const Tensor &self, const std::vector<int64_t> &shape) {
  return call("aten.reshape.default", {self, shape});
}

static Tensor outOfRange(int64_t dim, int64_t rank) {
  return detail::fail(detail::problem("trace.dim", "flatten",
                                      "Dimension out of range (expected to be in range of [" + std::to_string(-rank) +
                                          ", " + std::to_string(rank - 1) + "], but got " + std::to_string(dim) + ")"));
}

Tensor flatten(const Tensor &self, int64_t start_dim, int64_t end_dim) {
  // reshape reports the reason.
  if (!self.isValid())
    return reshape(self, {-1});
  // A scalar is treated as a tensor with one dimension.
  int64_t rank = self.dim(), most = std::max<int64_t>(rank, 1);
  for (int64_t dim : {start_dim, end_dim})
    if (dim < -most || dim >= most)
      return outOfRange(dim, most);
  int64_t first = start_dim < 0 ? start_dim + most : start_dim, last = end_dim < 0 ? end_dim + most : end_dim;
  if (first > last)
    return detail::fail(
        detail::problem("trace.dim", "flatten", "flatten() has invalid args: start_dim cannot come after end_dim"));
  std::vector<int64_t> sizes = self.sizes(), flat;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim > first && dim <= last)
      flat.back() *= sizes[static_cast<size_t>(dim)];
    else
      flat.push_back(sizes[static_cast<size_t>(dim)]);
  // PyTorch gives a scalar one dimension.
  return reshape(self, rank == 0 ? std::vector<int64_t>{1} : flat);
}

Tensor t(const Tensor &self) { return call("aten.t.default", {self}); }
Tensor transpose(const Tensor &self, int64_t dim0, int64_t dim1) {
  return call("aten.transpose.int", {self, dim0, dim1});
}
Tensor permute(const Tensor &self, const std::vector<int64_t> &dims) {
  return call("aten.permute.default", {self, dims});
}
Tensor expand(const Tensor &self, const std::vector<int64_t> &size) {
  return call("aten.expand.default", {self, size});
}
Tensor unsqueeze(const Tensor &self, int64_t dim) { return call("aten.unsqueeze.default", {self, dim}); }
Tensor squeeze(const Tensor &self, int64_t dim) { return call("aten.squeeze.dim", {self, dim}); }

Tensor slice(const Tensor &self, int64_t dim, int64_t start, std::optional<int64_t> end, int64_t step) {
  int64_t last = end.value_or(std::numeric_limits<int64_t>::max());
  return step == 1 ? call("aten.slice.Tensor", {self, dim, start, last})
                   : call("aten.slice.Tensor", {self, dim, start, last, step});
}

Tensor select(const Tensor &self, int64_t dim, int64_t index) { return call("aten.select.int", {self, dim, index}); }

TensorList split(const Tensor &self, int64_t split_size, int64_t dim) {
  return dim == 0 ? callList("aten.split.Tensor", {self, split_size})
                  : callList("aten.split.Tensor", {self, split_size, dim});
}

TensorList split_with_sizes(const Tensor &self, const std::vector<int64_t> &split_sizes, int64_t dim) {
  return dim == 0 ? callList("aten.split_with_sizes.default", {self, split_sizes})
                  : callList("aten.split_with_sizes.default", {self, split_sizes, dim});
}

TensorList chunk(const Tensor &self, int64_t chunks, int64_t dim) {
  if (chunks < 1) {
    Diagnostic why =
        detail::problem("trace.chunks", "chunk", "into " + std::to_string(chunks) + " pieces; expected 1 or more");
    (void)detail::fail(why);
    return TensorList::failed(std::move(why));
  }
  return split(self, (self.size(dim) + chunks - 1) / chunks, dim);
}

Tensor cat(const std::vector<Tensor> &tensors, int64_t dim) {
  return dim == 0 ? call("aten.cat.default", {tensors}) : call("aten.cat.default", {tensors, dim});
}
Tensor stack(const std::vector<Tensor> &tensors, int64_t dim) {
  return dim == 0 ? call("aten.stack.default", {tensors}) : call("aten.stack.default", {tensors, dim});
}

Tensor index_select(const Tensor &self, int64_t dim, const Tensor &index) {
  return call("aten.index_select.default", {self, dim, index});
}
Tensor index(const Tensor &self, const std::vector<Tensor> &indices) {
  return call("aten.index.Tensor", {self, indices});
}
Tensor gather(const Tensor &self, int64_t dim, const Tensor &index) {
  return call("aten.gather.default", {self, dim, index});
}
Tensor scatter_add(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &src) {
  return call("aten.scatter_add.default", {self, dim, index, src});
}
Tensor tril(const Tensor &self, int64_t diagonal) {
  return diagonal == 0 ? call("aten.tril.default", {self}) : call("aten.tril.default", {self, diagonal});
}
Tensor triu(const Tensor &self, int64_t diagonal) {
  return diagonal == 0 ? call("aten.triu.default", {self}) : call("aten.triu.default", {self, diagonal});
}

} // namespace ccgraph::tracer
// NOLINTEND(readability-identifier-naming)
