#include "kernels/families.h"
#include "kernels/kernel_args.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <numeric>

namespace ccgraph::runtime {
namespace {

/// The tensor object itself: a change of its shape is seen through the result.
Value same(KernelArgs &args) { return args.tensor(0); }

/// An object of its own.
Value alias(KernelArgs &args) { return args.tensor(0).alias(); }

Value view(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  IntList sizes = args.integers(1);
  return args.failed() ? Value() : args.take(self.view(sizes));
}

/// A view where strides allow it, else a view of a contiguous copy.
Value reshape(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  IntList sizes = args.integers(1);
  if (args.failed())
    return {};
  llvm::Expected<Tensor> seen = self.view(sizes);
  if (seen)
    return std::move(*seen);
  llvm::consumeError(seen.takeError());
  return args.take(self.cloneContiguous().view(sizes));
}

Value flatten(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t first = args.dim(1, self.rank(), 0);
  int64_t last = args.dim(2, self.rank(), -1);
  if (args.failed() || !args.check(first <= last, "got start_dim after end_dim"))
    return {};
  if (first == last && self.rank() > 0)
    return self;
  IntList sizes = toIntList(self.sizes().take_front(first));
  sizes.push_back(self.rank() ? productOf(self.sizes().slice(first, last - first + 1)) : 1);
  llvm::append_range(sizes, self.sizes().drop_front(std::min(last + 1, self.rank())));
  llvm::Expected<Tensor> seen = self.view(sizes);
  if (seen)
    return std::move(*seen);
  llvm::consumeError(seen.takeError());
  return args.take(self.cloneContiguous().view(sizes));
}

/// One dimension split in several; one of them may be -1.
Value unflatten(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  IntList parts = args.integers(2);
  if (args.failed() || !args.check(self.rank() > 0, "got a 0-d tensor"))
    return {};
  IntList sizes = toIntList(self.sizes().take_front(dim));
  llvm::append_range(sizes, parts);
  llvm::append_range(sizes, self.sizes().drop_front(dim + 1));
  return args.take(self.view(sizes));
}

/// Element sizes may differ: the last dimension shrinks or grows by their ratio (torch.Tensor.view(dtype)).
Value viewAsDType(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  DType dtype = args.dtype(1, self.dtype());
  if (args.failed())
    return {};
  int64_t from = self.elementSize();
  int64_t to = sizeInBytes(dtype);
  Window window{toIntList(self.sizes()), toIntList(self.strides()), self.offset() * from / to};
  if (from == to)
    return self.reinterpret(dtype, std::move(window));
  if (!args.check(self.rank() > 0 && self.stride(self.rank() - 1) == 1,
                  "got " + typeOf(self) + ", expected a last stride of 1"))
    return {};
  bool fits = window.sizes.back() * from % to == 0 && self.offset() * from % to == 0;
  window.sizes.back() = window.sizes.back() * from / to;
  for (int64_t &stride : llvm::MutableArrayRef<int64_t>(window.strides).drop_back()) {
    fits &= stride * from % to == 0;
    stride = stride * from / to;
  }
  if (!args.check(fits, "got " + typeOf(self) + ", expected a multiple of " + llvm::Twine(to / from) +
                            " in each stride and the last size"))
    return {};
  return self.reinterpret(dtype, std::move(window));
}

Value expand(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  IntList sizes = args.integers(1);
  return args.failed() ? Value() : args.take(self.expand(sizes));
}

/// Only the sizes of the second tensor are read.
Value expandAs(KernelArgs &args) { return args.take(args.tensor(0).expand(args.tensor(1).sizes())); }
Value viewAs(KernelArgs &args) { return args.take(args.tensor(0).view(args.tensor(1).sizes())); }

Value broadcastTensors(KernelArgs &args) {
  Tensors tensors = args.tensors(0);
  IntList sizes;
  for (const Tensor &tensor : tensors) {
    std::optional<IntList> joined = broadcastSizes(sizes, tensor.sizes());
    if (args.check(joined.has_value(),
                   "sizes " + dimsOf(sizes) + " and " + dimsOf(tensor.sizes()) + " do not broadcast"))
      sizes = *joined;
  }
  if (args.failed())
    return {};
  // PyTorch expands only tensors that need it; the others are returned as the same objects.
  for (Tensor &tensor : tensors)
    if (tensor.sizes() != IntListRef(sizes))
      tensor = args.take(tensor.expand(sizes));
  return Value::tensors(tensors);
}

Value permute(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  IntList order = args.integers(1);
  for (int64_t &dim : order)
    dim = args.wrapDim(dim, self.rank());
  IntList sorted = order;
  llvm::sort(sorted);
  bool whole = llvm::equal(sorted, llvm::seq<int64_t>(0, self.rank()));
  if (args.failed() ||
      !args.check(whole, "got dims " + dimsOf(order) + " for " + typeOf(self) + ", expected each dimension once"))
    return {};
  return self.permute(order);
}

Tensor swapDims(const Tensor &self, int64_t a, int64_t b) {
  IntList order = allDims(self.rank());
  if (!order.empty())
    std::swap(order[a], order[b]);
  return self.permute(order);
}

Value transpose(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t a = args.dim(1, self.rank());
  int64_t b = args.dim(2, self.rank());
  return args.failed() ? Value() : swapDims(self, a, b);
}

Value transposeMatrix(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  if (!args.check(self.rank() <= 2, "got " + typeOf(self) + ", expected at most 2 dimensions"))
    return {};
  return self.rank() == 2 ? swapDims(self, 0, 1) : self.alias();
}

Value unsqueeze(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank() + 1);
  return args.failed() ? Value() : self.unsqueeze(dim);
}

/// Dimensions of another size than 1 stay.
Value squeeze(KernelArgs &args) {
  Tensor result = args.tensor(0).alias();
  IntList dims = args.has(1) ? args.integers(1) : args.dims(1, result.rank());
  for (int64_t &dim : dims)
    dim = args.wrapDim(dim, result.rank());
  if (args.failed() || result.rank() == 0)
    return result;
  llvm::sort(dims, std::greater<>());
  for (int64_t dim : dims)
    if (result.size(dim) == 1)
      result = result.squeeze(dim);
  return result;
}

/// Python's bounds: from the end if negative, clipped to the size.
int64_t clipBound(int64_t bound, int64_t size) {
  return std::clamp<int64_t>(bound < 0 ? bound + size : bound, 0, size);
}

Value slice(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank(), 0);
  int64_t step = args.integer(4, 1);
  if (args.failed() ||
      !args.check(self.rank() > 0 && step > 0, "got step " + llvm::Twine(step) + " on " + typeOf(self) +
                                                   ", expected a positive step on at least 1 dimension"))
    return {};
  int64_t start = clipBound(args.integer(2, 0), self.size(dim));
  int64_t end = clipBound(args.integer(3, INT64_MAX), self.size(dim));
  return args.failed() ? Value() : self.slice(dim, start, std::max(start, end), step);
}

Value select(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  int64_t index = args.integer(2);
  if (args.failed() || !args.check(self.rank() > 0, "got a 0-d tensor"))
    return {};
  int64_t size = self.size(dim);
  if (!args.check(index >= -size && index < size,
                  "got index " + llvm::Twine(index) + " on dimension " + llvm::Twine(dim) + " of " + typeOf(self)))
    return {};
  return self.select(dim, index < 0 ? index + size : index);
}

Value narrow(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  int64_t start = args.integer(2);
  int64_t length = args.integer(3);
  if (args.failed() || !args.check(self.rank() > 0, "got a 0-d tensor"))
    return {};
  start += start < 0 ? self.size(dim) : 0;
  if (!args.check(start >= 0 && length >= 0 && start + length <= self.size(dim),
                  "got start " + llvm::Twine(start) + " and length " + llvm::Twine(length) + " on dimension " +
                      llvm::Twine(dim) + " of " + typeOf(self)))
    return {};
  return self.slice(dim, start, start + length);
}

/// Views of consecutive pieces of one dimension.
Value pieces(const Tensor &self, int64_t dim, IntListRef lengths) {
  Tensors result;
  int64_t start = 0;
  for (int64_t length : lengths) {
    result.push_back(self.slice(dim, start, start + length));
    start += length;
  }
  return Value::tensors(result);
}

/// Returns the lengths of pieces of `step`, the last perhaps shorter; one empty piece for an empty dimension. chunk
/// rounds its step up, so it may return fewer pieces than requested (torch.chunk): 6 in 4 chunks is 2, 2, 2.
IntList evenLengths(int64_t size, int64_t step) {
  IntList lengths;
  for (int64_t start = 0; start < size || lengths.empty(); start += step) {
    lengths.push_back(std::min(step, size - start));
    if (step == 0)
      break;
  }
  return lengths;
}

Value split(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(2, self.rank(), 0);
  bool even = args.at(1).is(Value::Kind::Int);
  IntList wanted = args.integers(1);
  if (args.failed() || !args.check(self.rank() > 0, "got a 0-d tensor"))
    return {};
  int64_t size = self.size(dim);
  auto isNegative = [](int64_t length) { return length < 0; };
  bool fits = llvm::none_of(wanted, isNegative) &&
              (even ? wanted[0] > 0 || size == 0 : std::accumulate(wanted.begin(), wanted.end(), int64_t{0}) == size);
  if (!args.check(fits, "got lengths " + dimsOf(wanted) + " for dimension " + llvm::Twine(dim) + " of " + typeOf(self) +
                            ", expected them to cover its size"))
    return {};
  return pieces(self, dim, even ? evenLengths(size, wanted[0]) : wanted);
}

Value chunk(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t count = args.integer(1);
  int64_t dim = args.dim(2, self.rank(), 0);
  if (args.failed() || !args.check(self.rank() > 0 && count > 0, "got " + llvm::Twine(count) + " chunks of " +
                                                                     typeOf(self) + ", expected at least one"))
    return {};
  int64_t step = (self.size(dim) + count - 1) / count;
  return pieces(self, dim, step ? evenLengths(self.size(dim), step) : IntList(count, 0));
}

Value unbind(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank(), 0);
  if (args.failed() || !args.check(self.rank() > 0, "got a 0-d tensor"))
    return {};
  Tensors result;
  for (int64_t i = 0; i < self.size(dim); ++i)
    result.push_back(self.select(dim, i));
  return Value::tensors(result);
}

/// Strides and offset are of the storage, not of the view: they replace those of self, and only an offset that is left
/// out is kept (torch.as_strided).
Value asStrided(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Window window{args.integers(1), args.integers(2), args.integer(3, self.offset())};
  return args.failed() ? Value() : args.take(self.asStrided(std::move(window)));
}

Value diagonal(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t offset = args.integer(1, 0);
  int64_t row = args.dim(2, self.rank(), 0);
  int64_t column = args.dim(3, self.rank(), 1);
  if (args.failed() ||
      !args.check(self.rank() >= 2 && row != column, "got " + typeOf(self) + ", expected two dimensions"))
    return {};
  int64_t skipRows = std::max<int64_t>(-offset, 0);
  int64_t skipColumns = std::max<int64_t>(offset, 0);
  int64_t length = std::max<int64_t>(0, std::min(self.size(row) - skipRows, self.size(column) - skipColumns));
  Window window{{}, {}, self.offset()};
  if (length > 0)
    window.offset += skipRows * self.stride(row) + skipColumns * self.stride(column);
  for (int64_t dim = 0; dim < self.rank(); ++dim)
    if (dim != row && dim != column) {
      window.sizes.push_back(self.size(dim));
      window.strides.push_back(self.stride(dim));
    }
  window.sizes.push_back(length);
  window.strides.push_back(self.stride(row) + self.stride(column));
  return self.reinterpret(self.dtype(), std::move(window));
}

/// complex [..] -> its parts [.., 2].
Value viewAsReal(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  DType part = self.dtype() == DType::C128 ? DType::F64 : DType::F32;
  bool known = self.dtype() == DType::C64 || self.dtype() == DType::C128;
  if (args.failed() || !args.check(known, "got " + typeOf(self) + ", expected c64 or c128"))
    return {};
  Window window{toIntList(self.sizes()), toIntList(self.strides()), self.offset() * 2};
  for (int64_t &stride : window.strides)
    stride *= 2;
  window.sizes.push_back(2);
  window.strides.push_back(1);
  return self.reinterpret(part, std::move(window));
}

/// parts [.., 2] -> complex [..].
Value viewAsComplex(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  DType whole = self.dtype() == DType::F64 ? DType::C128 : DType::C64;
  int64_t last = self.rank() - 1;
  bool fits = (self.dtype() == DType::F32 || self.dtype() == DType::F64) && last >= 0 && self.size(last) == 2 &&
              self.stride(last) == 1 && self.offset() % 2 == 0;
  Window window{toIntList(self.sizes()), toIntList(self.strides()), self.offset() / 2};
  if (last >= 0) {
    window.sizes.pop_back();
    window.strides.pop_back();
  }
  for (int64_t &stride : window.strides) {
    fits &= stride % 2 == 0;
    stride /= 2;
  }
  if (args.failed() || !args.check(fits, "got " + typeOf(self) +
                                             ", expected f32 or f64, last size 2 with stride "
                                             "1, other strides even"))
    return {};
  return self.reinterpret(whole, std::move(window));
}

const Kernel viewTable[] = {
    {"aten._reshape_alias.default", "self,size,stride", asStrided},
    {"aten._unsafe_view.default", "self,size", view},
    {"aten.alias.default", "self", alias},
    {"aten.as_strided.default", "self,size,stride,storage_offset", asStrided},
    {"aten.broadcast_tensors.default", "tensors", broadcastTensors},
    {"aten.chunk.default", "self,chunks,dim", chunk},
    {"aten.detach.default", "self", alias},
    {"aten.detach_.default", "self", same},
    {"aten.diagonal.default", "self,offset,dim1,dim2", diagonal},
    {"aten.expand.default", "self,size,implicit", expand},
    {"aten.expand_as.default", "self,other", expandAs},
    {"aten.flatten.using_ints", "self,start_dim,end_dim", flatten},
    {"aten.lift_fresh.default", "self", same},
    {"aten.narrow.default", "self,dim,start,length", narrow},
    {"aten.permute.default", "self,dims", permute},
    {"aten.reshape.default", "self,shape", reshape},
    {"aten.select.int", "self,dim,index", select},
    {"aten.slice.Tensor", "self,dim,start,end,step", slice},
    {"aten.split", "self,split_size,dim", split},
    {"aten.split.Tensor", "self,split_size,dim", split},
    {"aten.split.sizes", "self,split_size,dim", split},
    {"aten.split_with_sizes.default", "self,split_sizes,dim", split},
    {"aten.squeeze.default", "self", squeeze},
    {"aten.squeeze.dim", "self,dim", squeeze},
    {"aten.squeeze.dims", "self,dim", squeeze},
    {"aten.t.default", "self", transposeMatrix},
    {"aten.transpose.int", "self,dim0,dim1", transpose},
    {"aten.unbind.int", "self,dim", unbind},
    {"aten.unflatten.int", "self,dim,sizes", unflatten},
    {"aten.unsafe_chunk.default", "self,chunks,dim", chunk},
    {"aten.unsafe_split.Tensor", "self,split_size,dim", split},
    {"aten.unsafe_split_with_sizes.default", "self,split_sizes,dim", split},
    {"aten.unsqueeze.default", "self,dim", unsqueeze},
    {"aten.view.default", "self,size", view},
    {"aten.view.dtype", "self,dtype", viewAsDType},
    {"aten.view_as.default", "self,other", viewAs},
    {"aten.view_as_complex.default", "self", viewAsComplex},
    {"aten.view_as_real.default", "self", viewAsReal},
};

} // namespace

llvm::ArrayRef<Kernel> viewKernels() { return viewTable; }

} // namespace ccgraph::runtime
