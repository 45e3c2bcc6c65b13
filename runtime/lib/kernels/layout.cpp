#include "kernels/layout.h"

#include "kernels/pointwise.h"

#include "llvm/ADT/Sequence.h"

namespace ccgraph::runtime {

/// Dimensions of [n, c, h, w] from the innermost in memory.
static constexpr int64_t channelsLastOrder[] = {1, 3, 2, 0};

Dims channelsLastStrides(DimsRef sizes) {
  Dims strides(sizes.size());
  int64_t step = 1;
  for (int64_t dim : channelsLastOrder) {
    strides[dim] = step;
    step *= std::max<int64_t>(sizes[dim], 1);
  }
  return strides;
}

bool isChannelsLast(const Tensor &tensor) { return tensor.rank() == 4 && tensor.permute({0, 2, 3, 1}).isContiguous(); }

/// torch._prims_common.are_strides_like_channels_last: strides rise in channels-last order, and sizes of 1 do not leave it open.
static bool hintsAtChannelsLast(const Tensor &tensor) {
  if (tensor.rank() != 4 || tensor.stride(1) == 0)
    return false;
  int64_t least = 0;
  for (int64_t dim : channelsLastOrder) {
    int64_t stride = tensor.stride(dim);
    if (tensor.size(dim) == 0 || stride < least || (dim == 0 && least == tensor.stride(1)))
      return false;
    least = stride * std::max<int64_t>(tensor.size(dim), 1);
  }
  return true;
}

Dims suggestedStrides(DimsRef sizes, llvm::ArrayRef<Tensor> likes) {
  bool channelsLast = sizes.size() == 4 && llvm::all_of(likes, hintsAtChannelsLast);
  return channelsLast ? channelsLastStrides(sizes) : contiguousStrides(sizes);
}

Tensor emptyLike(KernelArgs &args, const Tensor &self, DType dtype, unsigned formatIndex) {
  std::string text = args.text(formatIndex, "preserve_format");
  llvm::StringRef format = text;
  format.consume_front("torch.");
  if (format == "contiguous_format")
    return Tensor::zeros(dtype, self.sizes());
  if (format == "channels_last" && self.rank() == 4)
    return Tensor::zeros(dtype, self.sizes(), channelsLastStrides(self.sizes()));
  if (!args.check(format == "preserve_format", "got memory format '" + format + "' for " + self.typeText() +
                                                   ", expected preserve_format, contiguous_format, or channels_last of "
                                                   "4 dimensions"))
    return {};
  if (self.isDense())
    return Tensor::zeros(dtype, self.sizes(), self.strides());
  return Tensor::zeros(dtype, self.sizes(), denseStridesLike(self.sizes(), self.strides()));
}

Tensor cloneAs(KernelArgs &args, const Tensor &self, DType dtype, unsigned formatIndex) {
  Tensor result = emptyLike(args, self, dtype, formatIndex);
  bool movable = self.dtype() == dtype || (computable(self.dtype()) && computable(dtype));
  args.check(movable,
             "got " + shortName(self.dtype()) + " to " + shortName(dtype) + ", a conversion that is not supported");
  if (!args.failed())
    result.copyFrom(self);
  return result;
}

Tensor cloneWithStrides(const Tensor &self) {
  bool overlaps = llvm::any_of(llvm::seq<int64_t>(0, self.rank()),
                               [&](int64_t dim) { return self.stride(dim) == 0 && self.size(dim) > 1; });
  if (overlaps || !self.storage())
    return self.clone();
  auto bytes = static_cast<int64_t>(self.storage()->bytes.size());
  Tensor copy = self.reinterpret(DType::U8, {{bytes}, {1}, 0}).cloneContiguous();
  return copy.reinterpret(self.dtype(), {toDims(self.sizes()), toDims(self.strides()), self.offset()});
}

void fill(KernelArgs &args, const Tensor &self, const Tensor &value) {
  bool fits = value.numElements() == 1 && computable(self.dtype());
  if (args.failed() ||
      !args.check(fits, "got " + value.typeText() + " to fill " + self.typeText() + ", expected one number"))
    return;
  Tensor one = value.reinterpret(value.dtype(), {{}, {}, value.offset()});
  self.copyFrom(llvm::cantFail(toDType(one, self.dtype()).expand(self.sizes())));
}

} // namespace ccgraph::runtime
