#include "kernels/families.h"
#include "kernels/memory_format.h"
#include "kernels/pointwise.h"
#include "tensor/elements.h"

namespace ccgraph::runtime {
namespace {

Value clone(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  return cloneAs(args, self, self.dtype(), 1);
}

Value contiguous(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  return args.failed() || self.isContiguous() ? self : copyOf(args, self, contiguousStrides(self.sizes()));
}

Value toCopy(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  return cloneAs(args, self, args.dtype(1, self.dtype()), 6);
}

Value contiguousClone(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  return copyOf(args, self, contiguousStrides(self.sizes()));
}

Value convertElementType(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  return cloneAs(args, self, args.dtype(1, self.dtype()), noArgument);
}

/// There is only one device here, so only the copy remains.
Value deviceCopy(KernelArgs &args) { return cloneAs(args, args.tensor(0), args.tensor(0).dtype(), noArgument); }

/// Returns whether the tensor has the layout of the memory format.
bool hasFormat(const Tensor &self, llvm::StringRef format) {
  format.consume_front("torch.");
  bool channelsLast = hintsAtChannelsLast(self.sizes(), self.strides());
  return format == "preserve_format" || (format == "contiguous_format" ? !channelsLast : channelsLast);
}

/// Returns the tensor itself where nothing changes, unless `copy` requests new memory (torch.Tensor.to).
Value toDTypeOf(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  DType dtype = args.dtype(1, self.dtype());
  if (dtype == self.dtype() && !args.boolean(3, false) && hasFormat(self, args.text(4, "preserve_format")))
    return self;
  return cloneAs(args, self, dtype, 4);
}

/// Writes `source`, broadcast and converted, into `target`.
void assign(KernelArgs &args, const Tensor &target, const Tensor &source) {
  bool movable = target.dtype() == source.dtype() || (convertible(target.dtype()) && convertible(source.dtype()));
  args.check(movable, "got " + typeOf(source) + " for " + typeOf(target) + ", a conversion that is not supported");
  Tensor stretched = args.failed() ? Tensor() : args.take(source.expand(target.sizes()));
  if (!args.failed())
    target.copyFrom(stretched);
}

Value copyInPlace(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  assign(args, self, args.tensor(1));
  return self;
}

/// The functional form: self's sizes and strides, src's values.
Value copy(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Tensor result = args.result(self.dtype(), self.sizes(), self.strides());
  assign(args, result, args.tensor(1));
  return result;
}

Value fillInPlace(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  fill(args, self, args.operand(1).tensor);
  return self;
}

Value filledLike(KernelArgs &args) {
  Tensor result = emptyLike(args, args.tensor(0), args.tensor(0).dtype(), noArgument);
  fill(args, result, args.operand(1).tensor);
  return result;
}

Value zeroInPlace(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  fill(args, self, args.operand(noArgument, 0).tensor);
  return self;
}

// --- Joining ---------------------------------------------------------------------------------
/// torch.cat accepts a 1-d tensor of size 0 together with tensors of any rank, and skips it. Its dtype still takes part
/// in the promotion.
bool isLegacyEmpty(const Tensor &tensor) { return tensor.rank() == 1 && tensor.size(0) == 0; }

Tensor concatenate(KernelArgs &args, llvm::ArrayRef<Tensor> tensors, int64_t dim, DType dtype) {
  const Tensor &first = tensors.front();
  IntList sizes = toIntList(first.sizes());
  sizes[dim] = 0;
  for (const Tensor &tensor : tensors) {
    IntList got = toIntList(tensor.sizes());
    bool fits = got.size() == sizes.size();
    if (fits) {
      sizes[dim] += got[dim];
      got[dim] = first.size(dim);
    }
    if (!args.check(fits && IntListRef(got) == first.sizes(), "got " + typeOf(tensor) + " beside " + typeOf(first) +
                                                                  ", expected equal sizes but on dimension " +
                                                                  llvm::Twine(dim)))
      return {};
  }
  Tensor result = args.result(dtype, sizes, suggestedStrides(sizes, tensors));
  int64_t start = 0;
  for (const Tensor &tensor : tensors) {
    assign(args, result.slice(dim, start, start + tensor.size(dim)), tensor);
    start += tensor.size(dim);
  }
  return result;
}

Value cat(KernelArgs &args) {
  Tensors tensors = args.tensors(0);
  if (args.failed() || !args.check(!tensors.empty(), "got no tensors"))
    return {};
  DType common = resultType(tensors);
  Tensors parts = tensors;
  llvm::erase_if(parts, isLegacyEmpty);
  if (parts.empty())
    return args.result(common, {0});
  int64_t dim = args.dim(1, parts.front().rank(), 0);
  if (args.failed() || !args.check(parts.front().rank() > 0, "got a 0-d tensor"))
    return {};
  return concatenate(args, parts, dim, common);
}

Value stack(KernelArgs &args) {
  Tensors tensors = args.tensors(0);
  if (args.failed() || !args.check(!tensors.empty(), "got no tensors"))
    return {};
  int64_t dim = args.dim(1, tensors.front().rank() + 1, 0);
  for (const Tensor &tensor : tensors)
    args.check(tensor.sizes() == tensors.front().sizes(),
               "got " + typeOf(tensor) + " beside " + typeOf(tensors.front()) + ", expected equal sizes");
  if (args.failed())
    return {};
  for (Tensor &tensor : tensors)
    tensor = tensor.unsqueeze(dim);
  return concatenate(args, tensors, dim, resultType(tensors));
}

// --- Writing into a part ---------------------------------------------------------------------
/// Elements [start, end) of a dimension by Python's rules for bounds; fails for a 0-d tensor or a step below 1.
struct Span {
  int64_t dim;
  int64_t start;
  int64_t end;
  int64_t step;
};

Tensor part(KernelArgs &args, const Tensor &whole, Span span) {
  span.dim = args.wrapDim(span.dim, whole.rank());
  if (args.failed() ||
      !args.check(whole.rank() > 0 && span.step > 0, "got step " + llvm::Twine(span.step) + " on " + typeOf(whole)))
    return {};
  int64_t size = whole.size(span.dim);
  auto clip = [&](int64_t b) { return std::clamp<int64_t>(b < 0 ? b + size : b, 0, size); };
  int64_t start = clip(span.start);
  return whole.slice(span.dim, start, std::max(start, clip(span.end)), span.step);
}

Tensor elementOf(KernelArgs &args, const Tensor &whole, int64_t dim, int64_t index) {
  dim = args.wrapDim(dim, whole.rank());
  bool fits = whole.rank() > 0 && index >= -whole.size(dim) && index < whole.size(dim);
  if (args.failed() || !args.check(fits, "got index " + llvm::Twine(index) + " on dimension " + llvm::Twine(dim) +
                                             " of " + typeOf(whole)))
    return {};
  return whole.select(dim, index < 0 ? index + whole.size(dim) : index);
}

Value sliceScatter(KernelArgs &args) {
  Tensor result = cloneWithStrides(args.tensor(0));
  Tensor target =
      part(args, result, {args.integer(2, 0), args.integer(3, 0), args.integer(4, INT64_MAX), args.integer(5, 1)});
  assign(args, target, args.tensor(1));
  return result;
}

Value selectScatter(KernelArgs &args) {
  Tensor result = cloneWithStrides(args.tensor(0));
  Tensor target = elementOf(args, result, args.integer(2), args.integer(3));
  assign(args, target, args.tensor(1));
  return result;
}

Value sliceBackward(KernelArgs &args) {
  const Tensor &grad = args.tensor(0);
  IntList sizes = args.integers(1);
  if (args.failed())
    return {};
  Tensor result = args.zeroResult(grad.dtype(), sizes);
  Tensor target = part(args, result, {args.integer(2), args.integer(3), args.integer(4), args.integer(5)});
  assign(args, target, grad);
  return result;
}

Value selectBackward(KernelArgs &args) {
  const Tensor &grad = args.tensor(0);
  IntList sizes = args.integers(1);
  if (args.failed())
    return {};
  Tensor result = args.zeroResult(grad.dtype(), sizes);
  assign(args, elementOf(args, result, args.integer(2), args.integer(3)), grad);
  return result;
}

/// pad = (left, right) of the last dimension, then of the one before, ...; negative numbers crop
/// (torch.nn.functional.pad). [1, 2, 3] padded by (1, -1) with 0 is [0, 1, 2]. First the source is cropped, then it is
/// written to its place in the filled result.
Value constantPad(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  IntList pad = args.integers(1);
  if (args.failed() ||
      !args.check(pad.size() % 2 == 0 && static_cast<int64_t>(pad.size()) <= 2 * self.rank(),
                  "got pad " + dimsOf(pad) + " for " + typeOf(self) + ", expected pairs, at most one a dimension"))
    return {};
  IntList sizes = toIntList(self.sizes());
  Tensor source = self;
  for (size_t i = 0; i < pad.size(); i += 2) {
    int64_t dim = self.rank() - 1 - static_cast<int64_t>(i / 2);
    sizes[dim] += pad[i] + pad[i + 1];
    if (!args.check(sizes[dim] >= 0, "got pad " + dimsOf(pad) + ", more than " + typeOf(self)))
      return {};
    source = source.slice(dim, std::max<int64_t>(-pad[i], 0), self.size(dim) - std::max<int64_t>(-pad[i + 1], 0));
  }
  if (llvm::all_of(pad, [](int64_t size) { return size <= 0; }))
    return copyOf(args, source, preservedStrides(source.sizes(), source.strides()));
  Tensor result = args.result(self.dtype(), sizes, suggestedStrides(sizes, self));
  fill(args, result, args.operand(2, 0).tensor);
  Tensor target = result;
  for (size_t i = 0; i < pad.size(); i += 2) {
    int64_t dim = self.rank() - 1 - static_cast<int64_t>(i / 2);
    int64_t start = std::max<int64_t>(pad[i], 0);
    target = target.slice(dim, start, start + source.size(dim));
  }
  assign(args, target, source);
  return result;
}

Value repeat(KernelArgs &args) {
  Tensor self = args.tensor(0);
  IntList times = args.integers(1);
  if (args.failed() || !args.check(static_cast<int64_t>(times.size()) >= self.rank(),
                                   "got repeats " + dimsOf(times) + " for " + typeOf(self)))
    return {};
  while (self.rank() < static_cast<int64_t>(times.size()))
    self = self.unsqueeze(0);
  // (a, b) repeated (m, n) times is a copy of (1, a, 1, b) expanded to (m, a, n, b).
  IntList stretched;
  IntList sizes;
  for (int64_t dim = self.rank() - 1; dim >= 0; --dim)
    self = self.unsqueeze(dim);
  for (size_t i = 0; i < times.size(); ++i) {
    int64_t size = self.size(static_cast<int64_t>(2 * i + 1));
    stretched.append({times[i], size});
    sizes.push_back(times[i] * size);
  }
  Tensor wide = args.take(self.expand(stretched));
  if (args.failed())
    return {};
  Tensor result = args.result(self.dtype(), sizes);
  llvm::cantFail(result.view(stretched)).copyFrom(wide);
  return result;
}

/// A single number has no dimension to flip, though one may be named.
Value flip(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  IntList dims = args.integers(1).empty() ? IntList() : args.dims(1, self.rank());
  if (args.failed())
    return {};
  Tensor result = self.clone();
  for (int64_t dim : dims) {
    Tensor source = result.clone();
    for (int64_t i = 0; i < self.size(dim); ++i)
      copyElements(result.select(dim, i), source.select(dim, self.size(dim) - 1 - i));
  }
  return result;
}

/// The tensor itself where it has these strides already.
Value forceStrides(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  IntList strides = args.integers(1);
  if (args.failed() ||
      !args.check(static_cast<int64_t>(strides.size()) == self.rank(), "got strides " + dimsOf(strides)))
    return {};
  if (self.strides() == IntListRef(strides))
    return self;
  return copyOf(args, self, strides);
}

Tensors piecesOf(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  IntList lengths = args.integers(1);
  int64_t dim = args.dim(2, self.rank(), 0);
  int64_t total = 0;
  for (int64_t length : lengths)
    total += length;
  Tensors pieces;
  if (args.failed() ||
      !args.check(self.rank() > 0 && total == self.size(dim),
                  "got lengths " + dimsOf(lengths) + " for dimension " + llvm::Twine(dim) + " of " + typeOf(self)))
    return pieces;
  int64_t start = 0;
  for (int64_t length : lengths) {
    pieces.push_back(self.slice(dim, start, start + length));
    start += length;
  }
  return pieces;
}

Value splitCopy(KernelArgs &args) {
  Tensors pieces = piecesOf(args);
  for (unsigned i = 0; i < pieces.size(); ++i) {
    Tensor copy = args.resultOf(i, pieces[i].dtype(), pieces[i].sizes());
    copy.copyFrom(pieces[i]);
    pieces[i] = copy;
  }
  return Value::tensors(pieces);
}

Value splitCopyOut(KernelArgs &args) {
  Tensors pieces = piecesOf(args);
  Tensors out = args.tensors(3);
  if (args.failed() ||
      !args.check(out.size() == pieces.size(),
                  "got " + llvm::Twine(out.size()) + " tensors in out for " + llvm::Twine(pieces.size()) + " pieces"))
    return {};
  for (auto [target, piece] : llvm::zip(out, pieces))
    assign(args, target, piece);
  return {};
}

const Kernel copyTable[] = {
    {"aten._to_copy.default", "self,dtype,layout,device,pin_memory,non_blocking,memory_format", toCopy},
    {"aten.cat.default", "tensors,dim", cat},
    {"aten.clone.default", "self,memory_format", clone},
    {"aten.constant_pad_nd.default", "self,pad,value", constantPad},
    {"aten.contiguous.default", "self,memory_format", contiguous},
    {"aten.copy.default", "self,src,non_blocking", copy},
    {"aten.copy_.default", "self,src,non_blocking", copyInPlace},
    {"aten.fill.Scalar", "self,value", filledLike},
    {"aten.fill.Tensor", "self,value", filledLike},
    {"aten.fill_.Scalar", "self,value", fillInPlace},
    {"aten.fill_.Tensor", "self,value", fillInPlace},
    {"aten.flip.default", "self,dims", flip},
    {"aten.lift_fresh_copy.default", "self", contiguousClone},
    {"aten.repeat.default", "self,repeats", repeat},
    {"aten.select_backward.default", "grad_output,input_sizes,dim,index", selectBackward},
    {"aten.select_scatter.default", "self,src,dim,index", selectScatter},
    {"aten.slice_backward.default", "grad_output,input_sizes,dim,start,end,step", sliceBackward},
    {"aten.slice_scatter.default", "self,src,dim,start,end,step", sliceScatter},
    {"aten.split_with_sizes_copy.default", "self,split_sizes,dim", splitCopy},
    {"aten.split_with_sizes_copy.out", "self,split_sizes,dim,out", splitCopyOut},
    {"aten.stack.default", "tensors,dim", stack},
    {"aten.to.dtype", "self,dtype,non_blocking,copy,memory_format", toDTypeOf},
    {"aten.zero_.default", "self", zeroInPlace},
    {"prims.convert_element_type.default", "a,dtype", convertElementType},
    {"prims.device_put.default", "a,device,non_blocking", deviceCopy},
    {"prims.inductor_force_stride_order.default", "input,stride", forceStrides},
    {"prims.rev.default", "a,dims", flip},
};

} // namespace

llvm::ArrayRef<Kernel> copyKernels() { return copyTable; }

} // namespace ccgraph::runtime
