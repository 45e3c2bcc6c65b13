#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/indexing.h"
#include "kernels/memory_format.h"

#include <cmath>

namespace ccgraph::runtime {
namespace {

/// `self` with `source` in the part of it that a view names.
Value withPart(KernelArgs &args, const Tensor &self, const Tensor &part, const Tensor &source) {
  if (args.failed() || !args.check(part.sizes() == source.sizes() && part.dtype() == source.dtype(),
                                   "got " + typeOf(source) + " for a part " + typeOf(part)))
    return {};
  part.copyFrom(source);
  return self;
}

// --- Diagonals: (…, offset, dim1, dim2) ------------------------------------------------------------------
Tensor diagonalOf(KernelArgs &args, const Tensor &self, unsigned offsetAt) {
  return callForTensor(args, "aten.diagonal.default",
                       {self, args.at(offsetAt), args.at(offsetAt + 1), args.at(offsetAt + 2)});
}

Value diagonalScatter(KernelArgs &args) {
  Tensor result = cloneWithStrides(args.tensor(0));
  return withPart(args, result, diagonalOf(args, result, 2), args.tensor(1));
}

/// (self, src, size, stride, storage_offset)
Value asStridedScatter(KernelArgs &args) {
  Tensor result = cloneWithStrides(args.tensor(0));
  Window window{args.integers(2), args.integers(3), args.integer(4, result.offset())};
  return args.failed() ? Value() : withPart(args, result, args.take(result.asStrided(window)), args.tensor(1));
}

// --- Sliding windows of one dimension --------------------------------------------------------------------
/// Windows of `size` elements, `step` apart: their elements are a new last dimension.
Tensor unfolded(KernelArgs &args, const Tensor &self, int64_t dim, int64_t size, int64_t step) {
  int64_t length = self.rank() ? self.size(dim) : 1;
  if (args.failed() ||
      !args.check(size >= 0 && step > 0 && size <= length,
                  "got windows of " + llvm::Twine(size) + ", " + llvm::Twine(step) + " apart, in " + typeOf(self)))
    return {};
  Window window{toIntList(self.sizes()), toIntList(self.strides()), self.offset()};
  window.sizes.push_back(size);
  window.strides.push_back(self.rank() ? self.stride(dim) : 1);
  if (self.rank()) {
    window.sizes[dim] = (length - size) / step + 1;
    window.strides[dim] *= step;
  }
  return self.reinterpret(self.dtype(), std::move(window));
}

Value unfold(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  return unfolded(args, self, args.dim(1, self.rank()), args.integer(2), args.integer(3));
}

/// (grad_in, input_sizes, dim, size, step): overlapping windows add up.
Value unfoldBackward(KernelArgs &args) {
  const Tensor &grad = args.tensor(0);
  Tensor result = Tensor::zeros(grad.dtype(), args.integers(1));
  int64_t dim = args.dim(2, result.rank());
  Tensor windows = unfolded(args, result, dim, args.integer(3), args.integer(4));
  if (args.failed() || !args.check(windows.sizes() == grad.sizes(), "got " + typeOf(grad) + " for " + typeOf(windows)))
    return {};
  if (result.rank() == 0) {
    if (grad.numElements() == 1)
      result.copyFrom(grad.select(0, 0));
    return result;
  }
  // A window overlaps its neighbours but not itself, so windows are added one by one.
  for (int64_t i = 0; i < windows.size(dim); ++i)
    callKernel(args, "aten.add_.Tensor", {windows.select(dim, i), grad.select(dim, i)});
  return result;
}

// --- Positions of one dimension -----------------------------------------------------------------------------
/// Indices in front of argument `index` for dimensions before `dim`: x[:, :, index].
Value indexOn(KernelArgs &args, int64_t dim) {
  Value::List list(static_cast<size_t>(dim));
  list.push_back(args.at(2));
  return Value::list(std::move(list));
}

/// (self, dim, index, source); the values are put one by one, the last of equal indices stays.
Value indexCopy(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  Tensor result = self.cloneContiguous(), source = args.tensor(3);
  if (args.failed() || !args.check(source.rank() == self.rank() || source.rank() == 0 || self.rank() == 0,
                                   "got a source " + typeOf(source) + " for " + typeOf(self)))
    return {};
  // index_put keeps the indexed dimension in place, so the source fits unchanged.
  callKernel(args, "aten.index_put_.default", {atLeastOneDim(result), indexOn(args, dim), source});
  return result;
}

const Kernel windowTable[] = {
    {"aten.as_strided_scatter.default", "self,src,size,stride,storage_offset", asStridedScatter},
    {"aten.diagonal_scatter.default", "self,src,offset,dim1,dim2", diagonalScatter},
    {"aten.index_copy.default", "self,dim,index,source", indexCopy},
    {"aten.unfold.default", "self,dimension,size,step", unfold},
    {"aten.unfold_backward.default", "grad_in,input_sizes,dim,size,step", unfoldBackward},
};

} // namespace

llvm::ArrayRef<Kernel> windowKernels() { return windowTable; }

} // namespace ccgraph::runtime
