#include "kernels/memory_format.h"

#include "kernels/pointwise.h"

#include "llvm/ADT/Sequence.h"

namespace ccgraph::runtime {

IntList suggestedStrides(IntListRef sizes, llvm::ArrayRef<Tensor> likes) {
  bool channelsLast = llvm::all_of(likes, [&](const Tensor &like) {
    return like.rank() == static_cast<int64_t>(sizes.size()) && hintsAtChannelsLast(like.sizes(), like.strides());
  });
  return channelsLast ? channelsLastStrides(sizes) : contiguousStrides(sizes);
}

Tensor emptyLike(KernelArgs &args, const Tensor &self, DType dtype, unsigned formatIndex) {
  llvm::StringRef format = args.text(formatIndex, "preserve_format");
  format.consume_front("torch.");
  if (format == "contiguous_format")
    return args.result(dtype, self.sizes());
  if (format == "channels_last" && self.rank() == 4)
    return args.result(dtype, self.sizes(), channelsLastStrides(self.sizes()));
  if (!args.check(format == "preserve_format", "got memory format '" + format + "' for " + typeOf(self) +
                                                   ", expected preserve_format, contiguous_format, or channels_last of "
                                                   "4 dimensions"))
    return {};
  return args.result(dtype, self.sizes(), preservedStrides(self.sizes(), self.strides()));
}

Tensor copyOf(KernelArgs &args, const Tensor &self, IntListRef strides) {
  Tensor result = args.result(self.dtype(), self.sizes(), strides);
  result.copyFrom(self);
  return result;
}

Tensor cloneAs(KernelArgs &args, const Tensor &self, DType dtype, unsigned formatIndex) {
  Tensor result = emptyLike(args, self, dtype, formatIndex);
  bool movable = self.dtype() == dtype || (convertible(self.dtype()) && convertible(dtype));
  args.check(movable,
             "got " + shortName(self.dtype()) + " to " + shortName(dtype) + ", a conversion that is not supported");
  if (!args.failed())
    result.copyFrom(self);
  return result;
}

// The storage is copied as bytes, from its first to its last, because strides may leave gaps and an offset: through the
// same window the copy has the same elements at the same places. An expanded tensor (stride 0) is excluded: writing one
// element of the copy would write several.
Tensor cloneWithStrides(const Tensor &self) {
  bool overlaps = llvm::any_of(llvm::seq<int64_t>(0, self.rank()),
                               [&](int64_t dim) { return self.stride(dim) == 0 && self.size(dim) > 1; });
  if (overlaps || !self.storage())
    return self.clone();
  auto bytes = self.storage()->size();
  Tensor copy = self.reinterpret(DType::U8, {{bytes}, {1}, 0}).cloneContiguous();
  return copy.reinterpret(self.dtype(), {toIntList(self.sizes()), toIntList(self.strides()), self.offset()});
}

void fill(KernelArgs &args, const Tensor &self, const Tensor &value) {
  bool fits = value.numElements() == 1 && convertible(self.dtype());
  if (args.failed() || !args.check(fits, "got " + typeOf(value) + " to fill " + typeOf(self) + ", expected one number"))
    return;
  Tensor one = value.reinterpret(value.dtype(), {{}, {}, value.offset()});
  self.copyFrom(llvm::cantFail(toDType(one, self.dtype()).expand(self.sizes())));
}

} // namespace ccgraph::runtime
