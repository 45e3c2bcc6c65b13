#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/indexing.h"
#include "kernels/layout.h"

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

/// (grad_output, input_sizes, offset, dim1, dim2)
Value diagonalBackward(KernelArgs &args) {
  Tensor result = Tensor::zeros(args.tensor(0).dtype(), args.integers(1));
  return withPart(args, result, diagonalOf(args, result, 2), args.tensor(0));
}

/// (self, offset, dim1, dim2): the last dimension becomes a diagonal of two new ones.
Value diagonalEmbed(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t offset = args.integer(1, 0);
  int64_t row = args.dim(2, self.rank() + 1, -2), column = args.dim(3, self.rank() + 1, -1);
  if (args.failed() ||
      !args.check(self.rank() > 0 && row != column, "got " + typeOf(self) + ", expected two dimensions"))
    return {};
  int64_t side = self.size(self.rank() - 1) + std::abs(offset);
  Dims sizes = toDims(self.sizes().drop_back());
  sizes.insert(sizes.begin() + std::min(row, column), side);
  sizes.insert(sizes.begin() + std::max(row, column), side);
  Tensor result = Tensor::zeros(self.dtype(), sizes);
  Tensor part = callForTensor(args, "aten.diagonal.default",
                              {result, Value::integer(offset), Value::integer(row), Value::integer(column)});
  return withPart(args, result, part, self);
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
  Window window{toDims(self.sizes()), toDims(self.strides()), self.offset()};
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
  // Because one window overlaps its neighbours but not itself, they are added one by one.
  for (int64_t i = 0; i < windows.size(dim); ++i)
    callKernel(args, "aten.add_.Tensor", {windows.select(dim, i), grad.select(dim, i)});
  return result;
}

// --- Rolling ------------------------------------------------------------------------------------------------
void rollInto(const Tensor &to, const Tensor &from, int64_t dim, int64_t shift) {
  int64_t size = from.size(dim);
  for (int64_t i = 0; i < size; ++i)
    copyElements(to.select(dim, ((i + shift) % size + size) % size), from.select(dim, i));
}

/// Without dims the tensor is rolled as if flat.
Value roll(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Dims shifts = args.integers(1), dims = args.has(2) ? args.integers(2) : Dims();
  if (args.failed() ||
      !args.check(dims.size() == shifts.size() || (dims.empty() && shifts.size() == 1),
                  "got shifts " + dimsOf(shifts) + " of dimensions " + dimsOf(dims)) ||
      !args.check(dims.empty() || self.rank() > 0, "got dimensions " + dimsOf(dims) + " of a 0-d tensor"))
    return {};
  Tensor result = self.cloneContiguous();
  if (dims.empty()) {
    Tensor flat = args.take(result.view({-1})), source = flat.clone();
    if (source.numElements() > 0)
      rollInto(flat, source, 0, shifts[0]);
    return result;
  }
  for (size_t k = 0; k < dims.size() && self.numElements() > 0; ++k)
    rollInto(result, result.clone(), args.wrapDim(dims[k], self.rank()), shifts[k]);
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
  // Because index_put's indexed dimension stands where it was, the source fits as it is.
  callKernel(args, "aten.index_put_.default", {atLeastOneDim(result), indexOn(args, dim), source});
  return result;
}

/// (self, dim, index, value)
Value indexFill(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  Tensor result = self.clone();
  Operand value = args.operand(3);
  Tensor number = callForTensor(args, "aten._to_copy.default", {value.tensor, Value::dtype(self.dtype())});
  if (self.rank() == 0)
    return number;
  callKernel(args, "aten.index_put_.default", {result, indexOn(args, dim), number});
  return result;
}

/// (self, mask, source): the set places take the source's elements in order.
Value maskedScatter(KernelArgs &args) {
  const Tensor &self = args.tensor(0), &mask = args.tensor(1);
  std::optional<Dims> sizes = broadcastSizes(self.sizes(), mask.sizes());
  if (args.failed() || !args.check(sizes.has_value() && mask.dtype() == DType::Bool,
                                   "got a mask " + typeOf(mask) + " for " + typeOf(self)))
    return {};
  Tensor result = args.take(self.expand(*sizes)).cloneContiguous();
  Tensor set = args.take(mask.expand(*sizes)).contiguous(), source = args.tensor(2).contiguous();
  int64_t taken = 0, size = result.elementSize();
  for (int64_t i = 0; i < result.numElements(); ++i) {
    if (set.data()[i] == std::byte{0})
      continue;
    if (!args.check(taken < source.numElements() && source.dtype() == result.dtype(),
                    "got " + typeOf(source) + ", expected an element for each set place"))
      return {};
    std::copy_n(source.data() + taken++ * size, size, result.data() + i * size);
  }
  return result;
}

/// (self, index): elements of the flat tensor.
Value take(KernelArgs &args) {
  const Tensor &self = args.tensor(0), &index = args.tensor(1);
  Tensor flat = args.take(self.contiguous().view({-1}));
  if (args.failed())
    return {};
  return callKernel(args, "aten.index.Tensor", {flat, Value::tensors({index})});
}

// --- scatter_reduce(self, dim, index, src, reduce, include_self) ---------------------------------------------
/// How an element joins the one that is there; a mean is a sum divided afterwards.
using Joiner = double (*)(double there, double next);
Joiner joinerOf(KernelArgs &args, llvm::StringRef name) {
  if (name == "sum" || name == "mean")
    return [](double a, double b) { return a + b; };
  if (name == "prod")
    return [](double a, double b) { return a * b; };
  if (name == "amax")
    return [](double a, double b) { return b > a || b != b ? b : a; };
  args.check(name == "amin", "got reduce '" + name + "', expected sum, prod, mean, amax or amin");
  return [](double a, double b) { return b < a || b != b ? b : a; };
}

Value scatterReduce(KernelArgs &args) {
  Tensor self = args.tensor(0), result = self.cloneContiguous();
  int64_t dim = args.dim(1, self.rank());
  llvm::StringRef name = args.text(4, "sum");
  bool includes = args.boolean(5, true);
  Joiner join = joinerOf(args, name);
  DType dtype = self.dtype();
  if (args.failed() || !args.check(args.tensor(3).dtype() == dtype && computable(dtype) && !isComplex(dtype),
                                   "got src " + typeOf(args.tensor(3)) + " for " + typeOf(self)))
    return {};
  Scratch<int64_t> joined(static_cast<size_t>(result.numElements()));
  Scratch<double> sums(joined.size());
  int64_t size = result.elementSize();
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] = readElement<double>(dtype, result.data() + static_cast<int64_t>(i) * size);
  forEachChosen(args, {result, dim, args.tensor(2), args.tensor(3)}, [&](std::byte *chosen, std::byte *from) {
    auto at = static_cast<size_t>((chosen - result.data()) / size);
    double value = readElement<double>(dtype, from);
    sums[at] = joined[at]++ == 0 && !includes ? value : join(sums[at], value);
  });
  for (size_t i = 0; i < sums.size(); ++i) {
    if (joined[i] == 0)
      continue;
    double mean = sums[i] / static_cast<double>(joined[i] + includes);
    double value = name != "mean" ? sums[i] : isFloat(dtype) ? mean : std::floor(mean);
    writeElement<double>(dtype, result.data() + static_cast<int64_t>(i) * size, value);
  }
  return result;
}

const Kernel windowTable[] = {
    {"aten.as_strided_scatter.default", "self,src,size,stride,storage_offset", asStridedScatter},
    {"aten.diag_embed.default", "self,offset,dim1,dim2", diagonalEmbed},
    {"aten.diagonal_backward.default", "grad_output,input_sizes,offset,dim1,dim2", diagonalBackward},
    {"aten.diagonal_scatter.default", "self,src,offset,dim1,dim2", diagonalScatter},
    {"aten.index_copy.default", "self,dim,index,source", indexCopy},
    {"aten.index_fill.int_Scalar", "self,dim,index,value", indexFill},
    {"aten.index_fill.int_Tensor", "self,dim,index,value", indexFill},
    {"aten.masked_scatter.default", "self,mask,source", maskedScatter},
    {"aten.roll.default", "self,shifts,dims", roll},
    {"aten.scatter_reduce.two", "self,dim,index,src,reduce,include_self", scatterReduce},
    {"aten.take.default", "self,index", take},
    {"aten.unfold.default", "self,dimension,size,step", unfold},
    {"aten.unfold_backward.default", "grad_in,input_sizes,dim,size,step", unfoldBackward},
};

} // namespace

llvm::ArrayRef<Kernel> windowKernels() { return windowTable; }

} // namespace ccgraph::runtime
