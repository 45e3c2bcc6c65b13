#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/memory_format.h"

// Elements in another order: rolled, or moved between channels and pixels.
namespace ccgraph::runtime {
namespace {

// --- roll: the last elements of a dimension come first ------------------------------------------------------
Tensor rolled(KernelArgs &args, const Tensor &self, int64_t shift, int64_t dim) {
  int64_t size = self.rank() ? self.size(dim) : 1;
  if (size == 0 || self.rank() == 0)
    return self.clone();
  int64_t start = ((-shift) % size + size) % size;
  return callForTensor(
      args, "aten.cat.default",
      {Value::tensors({self.slice(dim, start, size), self.slice(dim, 0, start)}), Value::integer(dim)});
}

/// (self, shifts, dims); without dims, the elements are rolled as one line.
Value roll(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  IntList shifts = args.integers(1), dims = args.has(2) ? args.integers(2) : IntList();
  bool whole = dims.empty() && shifts.size() == 1;
  if (args.failed() || !args.check(whole || (shifts.size() == dims.size() && !shifts.empty()),
                                   "got shifts " + dimsOf(shifts) + " for dims " + dimsOf(dims)))
    return {};
  if (self.numElements() == 0)
    return self.clone();
  if (whole) {
    Tensor line = rolled(args, llvm::cantFail(self.contiguous().view(-1)), shifts[0], 0);
    return args.failed() ? Value() : Value(llvm::cantFail(line.view(self.sizes())));
  }
  Tensor result = self;
  for (size_t i = 0; i < dims.size(); ++i)
    result = rolled(args, result, shifts[i], args.wrapDim(dims[i], self.rank()));
  return result;
}

// --- Channels and pixels: (..., C, H, W) ------------------------------------------------------------------
/// Splits the last three dimensions into these, permutes them, and joins them to the last three sizes of the result.
struct Rearrangement {
  IntList split;
  IntList order;
  IntList joined;
};

Value rearranged(KernelArgs &args, const Tensor &self, const Rearrangement &r) {
  IntListRef leading = self.sizes().drop_back(3);
  IntList split = toIntList(leading), joined = toIntList(leading), order = allDims(self.rank() - 3);
  split.append(r.split.begin(), r.split.end());
  joined.append(r.joined.begin(), r.joined.end());
  for (int64_t dim : r.order)
    order.push_back(self.rank() - 3 + dim);
  Tensor moved = llvm::cantFail(self.contiguous().view(split)).permute(order).contiguous();
  Tensor plain = llvm::cantFail(moved.view(joined));
  return copyOf(args, plain, suggestedStrides(joined, self));
}

bool checkPixels(KernelArgs &args, const Tensor &self, int64_t factor, bool fits) {
  return !args.failed() && args.check(fits, "got " + typeOf(self) + " and the factor " + llvm::Twine(factor) +
                                                ", expected [..., C, H, W] that it divides");
}

/// Moves channels into blocks of factor x factor pixels: [C f f, H, W] -> [C, H f, W f] (W. Shi et al., 2016).
Value pixelShuffle(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t f = args.integer(1);
  if (!checkPixels(args, self, f, self.rank() >= 3 && f > 0 && self.size(self.rank() - 3) % (f * f) == 0))
    return {};
  IntListRef s = self.sizes().take_back(3);
  int64_t channels = s[0] / (f * f);
  return rearranged(args, self, {{channels, f, f, s[1], s[2]}, {0, 3, 1, 4, 2}, {channels, s[1] * f, s[2] * f}});
}
Value pixelUnshuffle(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t f = args.integer(1);
  bool fits = self.rank() >= 3 && f > 0 && self.size(self.rank() - 2) % f == 0 && self.size(self.rank() - 1) % f == 0;
  if (!checkPixels(args, self, f, fits))
    return {};
  IntListRef s = self.sizes().take_back(3);
  return rearranged(args, self,
                    {{s[0], s[1] / f, f, s[2] / f, f}, {0, 2, 4, 1, 3}, {s[0] * f * f, s[1] / f, s[2] / f}});
}

/// (self, groups): [N, groups, C / groups, ...] with the two middle dimensions exchanged (X. Zhang et al.,
/// "ShuffleNet", 2018).
Value channelShuffle(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t groups = args.integer(1);
  bool fits = self.rank() > 2 && groups > 0 && self.size(1) % groups == 0;
  if (args.failed() ||
      !args.check(fits, "got " + typeOf(self) + " and " + llvm::Twine(groups) + " groups, expected them to divide"))
    return {};
  IntList split = {self.size(0), groups, self.size(1) / groups, productOf(self.sizes().drop_front(2))};
  Tensor moved = llvm::cantFail(self.contiguous().view(split)).permute({0, 2, 1, 3}).contiguous();
  return copyOf(args, llvm::cantFail(moved.view(self.sizes())), suggestedStrides(self.sizes(), self));
}

const Kernel rearrangingTable[] = {
    {"aten.channel_shuffle.default", "self,groups", channelShuffle},
    {"aten.pixel_shuffle.default", "self,upscale_factor", pixelShuffle},
    {"aten.pixel_unshuffle.default", "self,downscale_factor", pixelUnshuffle},
    {"aten.roll.default", "self,shifts,dims", roll},
};

} // namespace

llvm::ArrayRef<Kernel> rearrangingKernels() { return rearrangingTable; }

} // namespace ccgraph::runtime
