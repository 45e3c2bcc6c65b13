#include "ccgraph/tracer/linear.h"

#include "ccgraph/tracer/elementwise.h"
#include "ccgraph/tracer/views.h"
#include "tracer/mode.h"

#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/internal/broadcast.h"

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::tracer {
namespace {

using Sizes = std::vector<int64_t>;

/// Returns the first failed tensor of a pair, so that its diagnostic is passed on.
const Tensor &failedOf(const Tensor &a, const Tensor &b) { return a.isValid() ? b : a; }

Sizes frontOf(const Sizes &sizes, size_t dropped) {
  return {sizes.begin(), sizes.end() - static_cast<int64_t>(dropped)};
}

Sizes joined(Sizes front, const Sizes &back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

/// Returns the tensor as a matrix: all dimensions but the last become its rows.
Tensor asMatrix(const Tensor &tensor) {
  if (tensor.dim() == 2)
    return tensor;
  return reshape(tensor, {productOf(frontOf(tensor.sizes(), 1)), tensor.size(-1)});
}

Tensor withRowsOf(const Tensor &product, const Tensor &input) {
  return input.dim() == 2 ? product : view(product, joined(frontOf(input.sizes(), 1), {product.size(-1)}));
}

Tensor asBatch(const Tensor &tensor, const Sizes &batch) {
  Sizes matrix = {tensor.size(-2), tensor.size(-1)};
  return reshape(expand(tensor, joined(batch, matrix)), joined({productOf(batch)}, matrix));
}

Tensor tooFewDimensions(const Tensor &self, const Tensor &other) {
  return detail::fail(detail::problem("trace.matmul", "matmul",
                                      "multiplies " + self.typeText() + " by " + other.typeText(),
                                      "both have two dimensions or more; unsqueeze a vector"));
}

} // namespace

Tensor mm(const Tensor &self, const Tensor &mat2) { return call("aten.mm.default", {self, mat2}); }
Tensor addmm(const Tensor &self, const Tensor &mat1, const Tensor &mat2) {
  return call("aten.addmm.default", {self, mat1, mat2});
}
Tensor bmm(const Tensor &self, const Tensor &mat2) { return call("aten.bmm.default", {self, mat2}); }

Tensor matmul(const Tensor &self, const Tensor &other) {
  if (!self.isValid() || !other.isValid())
    return mm(failedOf(self, other), other);
  if (self.dim() < 2 || other.dim() < 2)
    return tooFewDimensions(self, other);
  if (other.dim() == 2)
    return withRowsOf(mm(asMatrix(self), other), self);
  std::optional<IntList> batch = broadcastSizes(frontOf(self.sizes(), 2), frontOf(other.sizes(), 2));
  if (!batch)
    return detail::fail(
        detail::problem("trace.matmul", "matmul",
                        "multiplies " + self.typeText() + " by " + other.typeText() + ", whose batches do not fit",
                        "their sizes are equal or 1, counted from the last"));
  Sizes sizes(batch->begin(), batch->end());
  Tensor product = bmm(asBatch(self, sizes), asBatch(other, sizes));
  return product.isValid() ? view(product, joined(sizes, {product.size(-2), product.size(-1)})) : product;
}

Tensor linear(const Tensor &input, const Tensor &weight, const Tensor &bias) {
  if (input.isValid() && input.dim() < 2)
    return tooFewDimensions(input, weight);
  Tensor columns = t(weight);
  Tensor product = bias.isAbsent() ? mm(asMatrix(input), columns) : addmm(bias, asMatrix(input), columns);
  return product.isValid() ? withRowsOf(product, input) : product;
}

} // namespace ccgraph::tracer
// NOLINTEND(readability-identifier-naming)
