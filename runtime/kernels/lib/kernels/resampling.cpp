#include "kernels/families.h"
#include "kernels/layout.h"
#include "tensor/elements.h"

#include <cmath>

namespace ccgraph::runtime {
namespace {

using Values = Scratch<double>;

/// One element of the input and its share in an element of the output, along one dimension.
struct Share {
  int64_t at;
  double weight;
};
/// What each position of an output dimension reads.
using Axis = Scratch<Scratch<Share>>;

/// Padding and resizing are linear: the last dimensions are read through their axes, the leading ones are independent
/// planes.
struct Resampling {
  std::vector<Axis> axes;
  Dims inputSizes, outputSizes; ///< whole tensors
};

/// Calls body(output element, input element, weight) for one plane, counted within it.
template <typename Body>
void forEachShare(const Resampling &r, Body body) {
  Scratch<Scratch<Share>> plane{{{0, 1.0}}};
  DimsRef in = DimsRef(r.inputSizes).take_back(r.axes.size());
  for (size_t d = 0; d < r.axes.size(); ++d) {
    Scratch<Scratch<Share>> next;
    for (const Scratch<Share> &outer : plane)
      for (const Scratch<Share> &inner : r.axes[d]) {
        Scratch<Share> &joined = next.emplace_back();
        for (const Share &a : outer)
          for (const Share &b : inner)
            joined.push_back({a.at * in[d] + b.at, a.weight * b.weight});
      }
    plane = std::move(next);
  }
  for (size_t out = 0; out < plane.size(); ++out)
    for (const Share &share : plane[out])
      body(static_cast<int64_t>(out), share.at, share.weight);
}

/// Forward, or its transpose, which sends an output's gradient back to the input.
Value apply(KernelArgs &args, const Tensor &source, const Resampling &r, bool backward) {
  const Dims &from = backward ? r.outputSizes : r.inputSizes, &to = backward ? r.inputSizes : r.outputSizes;
  bool fits = source.sizes() == DimsRef(from) && computable(source.dtype()) && !isComplex(source.dtype());
  if (args.failed() || !args.check(fits, "got " + typeOf(source) + ", expected real elements of sizes " + dimsOf(from)))
    return {};
  Values in = readAll(source), out(static_cast<size_t>(productOf(to)));
  int64_t planes = productOf(DimsRef(from).drop_back(r.axes.size()));
  int64_t inPlane = productOf(DimsRef(from).take_back(r.axes.size()));
  int64_t outPlane = productOf(DimsRef(to).take_back(r.axes.size()));
  forEachShare(r, [&](int64_t output, int64_t input, double weight) {
    for (int64_t p = 0; p < planes; ++p) {
      int64_t a = p * outPlane + (backward ? input : output), b = p * inPlane + (backward ? output : input);
      out[static_cast<size_t>(a)] += weight * in[static_cast<size_t>(b)];
    }
  });
  Tensor plain = Tensor::zeros(source.dtype(), to);
  writeRow<double>(plain.dtype(), {plain.data(), plain.elementSize()}, out);
  Tensor result = Tensor::zeros(source.dtype(), to, suggestedStrides(to, source));
  result.copyFrom(plain);
  return result;
}

// --- Padding: lists name the last dimension's two ends first ---------------------------------------------
int64_t reflect(int64_t at, int64_t size) { return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at; }
int64_t replicate(int64_t at, int64_t size) { return std::min(std::max<int64_t>(at, 0), size - 1); }

Resampling padding(KernelArgs &args, const Tensor &self, DimsRef pads, int64_t (*inside)(int64_t, int64_t)) {
  size_t rank = pads.size() / 2;
  Resampling r{{}, toDims(self.sizes()), toDims(self.sizes())};
  if (args.failed() ||
      !args.check(self.rank() > static_cast<int64_t>(rank), "got " + typeOf(self) + " and padding " + dimsOf(pads)))
    return r;
  for (size_t d = 0; d < rank; ++d) {
    size_t dim = r.inputSizes.size() - rank + d;
    int64_t size = r.inputSizes[dim], front = pads[2 * (rank - 1 - d)], back = pads[2 * (rank - 1 - d) + 1];
    bool fits = size > 0 && size + front + back > 0 && (inside == replicate || (front < size && back < size));
    if (!args.check(fits, "got padding " + dimsOf(pads) + " for " + typeOf(self)))
      return r;
    Axis &axis = r.axes.emplace_back();
    for (int64_t out = -front; out < size + back; ++out)
      axis.push_back({{inside(out, size), 1.0}});
    r.outputSizes[dim] = size + front + back;
  }
  return r;
}

/// (self, padding), and (grad_output, self, padding)
template <int64_t (*inside)(int64_t, int64_t), size_t rank, bool backward>
Value pad(KernelArgs &args) {
  Dims pads = args.integers(backward ? 2 : 1);
  args.check(pads.size() == 2 * rank, "got padding " + dimsOf(pads) + " for " + llvm::Twine(rank) + " dimensions");
  Resampling r = padding(args, args.tensor(backward ? 1 : 0), pads, inside);
  return apply(args, args.tensor(0), r, backward);
}

// --- Resizing ---------------------------------------------------------------------------------------------
enum class Mode : uint8_t { Nearest, NearestExact, Linear, LinearAligned, Cubic, CubicAligned };

bool isLinear(Mode mode) { return mode == Mode::Linear || mode == Mode::LinearAligned; }
bool isCubic(Mode mode) { return mode == Mode::Cubic || mode == Mode::CubicAligned; }
bool isAligned(Mode mode) { return mode == Mode::LinearAligned || mode == Mode::CubicAligned; }
Mode aligned(Mode mode) { return isCubic(mode) ? Mode::CubicAligned : Mode::LinearAligned; }

/// R. Keys, "Cubic convolution interpolation" (1981), with a = -0.75: the weights of the element before `low`, of
/// `low`, and of the two after it, for a place that lies t after `low`. Elements beyond the ends are those at the ends.
Scratch<Share> cubicShares(int64_t low, double t, int64_t size) {
  constexpr double a = -0.75;
  auto near = [](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  auto far = [](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  double weights[] = {far(t + 1), near(t), near(1 - t), far(2 - t)};
  Scratch<Share> shares;
  for (int64_t i = 0; i < 4; ++i)
    shares.push_back({std::clamp<int64_t>(low - 1 + i, 0, size - 1), weights[i]});
  return shares;
}

/// `factor` is the scale that was asked for, 0 where only sizes were. T is the type in which PyTorch computes
/// positions, and the floor of a position shows it: f32, but f64 for linear and cubic modes of f64 and u8.
template <typename T>
Axis resized(int64_t in, int64_t out, double factor, Mode mode) {
  Axis axis;
  auto step = factor > 0 ? static_cast<T>(1 / factor) : static_cast<T>(in) / static_cast<T>(out);
  if (isAligned(mode))
    step = out > 1 ? static_cast<T>(in - 1) / static_cast<T>(out - 1) : 0;
  for (int64_t i = 0; i < out; ++i) {
    auto place = static_cast<T>(i);
    T at = mode == Mode::Nearest || isAligned(mode) ? place * step : (place + T(0.5)) * step;
    if (isCubic(mode)) {
      at -= isAligned(mode) ? T(0) : T(0.5);
      T low = std::floor(at);
      axis.push_back(cubicShares(static_cast<int64_t>(low), at - low, in));
      continue;
    }
    if (mode == Mode::Linear)
      at = std::max(at - T(0.5), T(0));
    int64_t low = std::min(static_cast<int64_t>(at), in - 1), high = std::min(low + 1, in - 1);
    double share = isLinear(mode) ? at - static_cast<T>(low) : 0;
    axis.push_back({{low, 1 - share}});
    // Because PyTorch reads both neighbours even where one has no share, an infinity there is NaN here.
    if (isLinear(mode))
      axis.back().push_back({high, share});
  }
  return axis;
}

/// Where the arguments of a resizing operator stand.
struct Form {
  unsigned aligned = noArgument;
  unsigned factors = noArgument; ///< the first of one factor a dimension, or (vec) a list of them
  bool isList = false;
};

Dims outputOf(KernelArgs &args, DimsRef in, const Form &form, size_t rank) {
  if (args.has(1))
    return args.integers(1);
  Dims result;
  const Value &factors = args.at(form.factors);
  for (size_t d = 0; d < rank && form.isList && factors.is(Value::Kind::List) && d < factors.list().size(); ++d)
    if (const Value &f = factors.list()[d]; f.is(Value::Kind::Float))
      result.push_back(static_cast<int64_t>(static_cast<double>(in.take_back(rank)[d]) * f.floating()));
  return result;
}

double factorOf(KernelArgs &args, const Form &form, size_t d) {
  if (!form.isList)
    return args.number(form.factors + static_cast<unsigned>(d), 0);
  const Value &factors = args.at(form.factors);
  bool known = factors.is(Value::Kind::List) && d < factors.list().size() && factors.list()[d].is(Value::Kind::Float);
  return known ? factors.list()[d].floating() : 0;
}

// --- u8: PyTorch resizes columns, then rows, with whole weights, and rounds to the nearest each time
// -------------------
/// The largest power of two by which all weights of an axis fit in 16 bits.
int wholeBits(const Axis &axis) {
  double most = 0;
  for (const Scratch<Share> &shares : axis)
    for (const Share &share : shares)
      most = std::max(most, share.weight);
  int bits = 0;
  while (bits < 22 && static_cast<int64_t>(0.5 + most * static_cast<double>(int64_t{1} << (bits + 1))) < (1 << 15))
    ++bits;
  return bits;
}

/// Elements that several shares of one output read, at the ends, have one share: weights are rounded once.
Axis withoutRepeats(const Axis &axis) {
  Axis result;
  for (const Scratch<Share> &shares : axis) {
    Scratch<Share> &merged = result.emplace_back();
    for (const Share &share : shares)
      if (!merged.empty() && merged.back().at == share.at)
        merged.back().weight += share.weight;
      else
        merged.push_back(share);
  }
  return result;
}

/// One dimension of `source`, [.., size, inner], through its axis.
Values resizeWhole(const Values &source, const Axis &given, int64_t size, int64_t inner) {
  Axis axis = withoutRepeats(given);
  int bits = wholeBits(axis);
  auto outer = static_cast<int64_t>(source.size()) / (size * inner);
  Values result;
  for (int64_t o = 0; o < outer; ++o)
    for (const Scratch<Share> &shares : axis)
      for (int64_t i = 0; i < inner; ++i) {
        int64_t sum = int64_t{1} << (bits - 1);
        for (const Share &share : shares)
          sum += std::llround(std::ldexp(share.weight, bits)) *
                 static_cast<int64_t>(source[static_cast<size_t>((o * size + share.at) * inner + i)]);
        result.push_back(static_cast<double>(std::clamp<int64_t>(sum >> bits, 0, 255)));
      }
  return result;
}

Value applyWhole(const Tensor &source, const Resampling &r) {
  Values values = readAll(source);
  int64_t inner = 1;
  for (size_t d = r.axes.size(); d-- > 0;) {
    values = resizeWhole(values, r.axes[d], r.inputSizes[2 + d], inner);
    inner *= r.outputSizes[2 + d];
  }
  Tensor plain = Tensor::zeros(source.dtype(), r.outputSizes);
  writeRow<double>(plain.dtype(), {plain.data(), plain.elementSize()}, values);
  Tensor result = Tensor::zeros(source.dtype(), r.outputSizes, suggestedStrides(r.outputSizes, source));
  result.copyFrom(plain);
  return result;
}

Resampling resizing(KernelArgs &args, DimsRef in, const Form &form, Mode mode, size_t rank) {
  Resampling r{{}, toDims(in), toDims(in)};
  Dims out = outputOf(args, in, form, rank);
  if ((isLinear(mode) || isCubic(mode)) && args.boolean(form.aligned, false))
    mode = aligned(mode);
  bool fits = in.size() == rank + 2 && out.size() == rank && llvm::all_of(out, [](int64_t n) { return n > 0; }) &&
              productOf(in) > 0;
  if (args.failed() || !args.check(fits, "got input sizes " + dimsOf(in) + " and output_size " + dimsOf(out)))
    return r;
  for (size_t d = 0; d < rank; ++d) {
    double factor = factorOf(args, form, d);
    DType dtype = args.tensor(0).dtype();
    bool wide = (dtype == DType::F64 || dtype == DType::U8) && (isLinear(mode) || isCubic(mode));
    r.axes.push_back(wide ? resized<double>(in[2 + d], out[d], factor, mode)
                          : resized<float>(in[2 + d], out[d], factor, mode));
    r.outputSizes[2 + d] = out[d];
  }
  return r;
}

template <Mode mode, size_t rank, bool isList>
Value resize(KernelArgs &args) {
  constexpr bool linear = mode == Mode::Linear || mode == Mode::Cubic;
  constexpr Form form{linear ? 2 : noArgument, linear ? 3 : 2, isList};
  const Tensor &self = args.tensor(0);
  Resampling r = resizing(args, self.sizes(), form, mode, rank);
  if (linear && rank == 2 && self.dtype() == DType::U8 && !args.failed())
    return applyWhole(self, r);
  return apply(args, self, r, false);
}

/// (grad_output, output_size, input_size, [align_corners,] factors...)
template <Mode mode, size_t rank>
Value resizeBackward(KernelArgs &args) {
  constexpr bool linear = mode == Mode::Linear || mode == Mode::Cubic;
  constexpr Form form{linear ? 3 : noArgument, linear ? 4 : 3, false};
  Dims in = args.integers(2);
  Value result = apply(args, args.tensor(0), resizing(args, in, form, mode, rank), true);
  // Because PyTorch keeps channels-last for two dimensions only.
  return args.failed() || rank == 2 ? result : Value(result.tensor().contiguous());
}

// --- Patches: im2col(self, kernel_size, dilation, padding, stride), and its transpose --------------------
/// Where each element of the patches, [kh * kw, positions], lies in a plane; -1 in the padding.
Scratch<int64_t> patchCells(KernelArgs &args, DimsRef plane, unsigned first) {
  Dims kernel = args.integers(first), dilation = args.integers(first + 1), pad = args.integers(first + 2),
       stride = args.integers(first + 3);
  Scratch<int64_t> cells;
  bool fits = plane.size() == 2;
  for (const Dims &list : {kernel, dilation, pad, stride})
    fits &= list.size() == 2;
  if (args.failed() || !args.check(fits && stride[0] > 0 && stride[1] > 0, "got lists that are not of 2 numbers"))
    return cells;
  Dims count(2);
  for (size_t d = 0; d < 2; ++d)
    count[d] = (plane[d] + 2 * pad[d] - dilation[d] * (kernel[d] - 1) - 1) / stride[d] + 1;
  for (int64_t k = 0; k < kernel[0] * kernel[1]; ++k)
    for (int64_t p = 0; p < count[0] * count[1]; ++p) {
      int64_t y = p / count[1] * stride[0] - pad[0] + k / kernel[1] * dilation[0];
      int64_t x = p % count[1] * stride[1] - pad[1] + k % kernel[1] * dilation[1];
      cells.push_back(y < 0 || y >= plane[0] || x < 0 || x >= plane[1] ? -1 : y * plane[1] + x);
    }
  return cells;
}

Value movePatches(const Tensor &source, DimsRef sizes, llvm::ArrayRef<int64_t> cells, int64_t plane, bool backward) {
  Values in = readAll(source), out(static_cast<size_t>(productOf(sizes)));
  auto patch = static_cast<int64_t>(cells.size());
  int64_t planes = source.numElements() / std::max<int64_t>(backward ? patch : plane, 1);
  for (int64_t p = 0; p < planes; ++p)
    for (int64_t i = 0; i < patch; ++i)
      if (int64_t cell = cells[static_cast<size_t>(i)]; cell >= 0) {
        auto patched = static_cast<size_t>(p * patch + i), plain = static_cast<size_t>(p * plane + cell);
        out[backward ? plain : patched] += in[backward ? patched : plain];
      }
  Tensor result = Tensor::zeros(source.dtype(), sizes);
  writeRow<double>(result.dtype(), {result.data(), result.elementSize()}, out);
  return result;
}

Value im2col(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Dims kernel = args.integers(1);
  if (args.failed() ||
      !args.check(self.rank() == 3 || self.rank() == 4, "got " + typeOf(self) + ", expected [N, C, H, W]"))
    return {};
  DimsRef plane = self.sizes().take_back(2);
  Scratch<int64_t> cells = patchCells(args, plane, 1);
  Dims sizes = toDims(self.sizes().drop_back(2));
  int64_t window = productOf(kernel);
  if (args.failed() || !args.check(window > 0, "got kernel " + dimsOf(kernel)))
    return {};
  sizes.back() *= window;
  sizes.push_back(static_cast<int64_t>(cells.size()) / window);
  return movePatches(self, sizes, cells, productOf(plane), false);
}

/// (self, output_size, kernel_size, dilation, padding, stride)
Value col2im(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Dims plane = args.integers(1), kernel = args.integers(2);
  Scratch<int64_t> cells = patchCells(args, plane, 2);
  bool fits = self.rank() >= 2 && productOf(kernel) > 0 && self.size(self.rank() - 2) % productOf(kernel) == 0 &&
              self.size(self.rank() - 1) * productOf(kernel) == static_cast<int64_t>(cells.size());
  if (args.failed() || !args.check(fits, "got " + typeOf(self) + " for patches of " + dimsOf(plane)))
    return {};
  Dims sizes = toDims(self.sizes().drop_back(1));
  sizes.back() /= productOf(kernel);
  llvm::append_range(sizes, plane);
  return movePatches(self, sizes, cells, productOf(plane), true);
}

constexpr llvm::StringLiteral padNames = "self,padding";
constexpr llvm::StringLiteral padGradNames = "grad_output,self,padding";

const Kernel resamplingTable[] = {
    {"aten._upsample_nearest_exact1d.default", "self,output_size,scales", resize<Mode::NearestExact, 1, false>},
    {"aten._upsample_nearest_exact1d.vec", "input,output_size,scale_factors", resize<Mode::NearestExact, 1, true>},
    {"aten._upsample_nearest_exact1d_backward.default", "grad_output,output_size,input_size,scales",
     resizeBackward<Mode::NearestExact, 1>},
    {"aten._upsample_nearest_exact2d.vec", "input,output_size,scale_factors", resize<Mode::NearestExact, 2, true>},
    {"aten._upsample_nearest_exact2d_backward.default", "grad_output,output_size,input_size,scales_h,scales_w",
     resizeBackward<Mode::NearestExact, 2>},
    {"aten.upsample_nearest3d.default", "self,output_size,scales_d,scales_h,scales_w", resize<Mode::Nearest, 3, false>},
    {"aten.upsample_nearest3d.vec", "input,output_size,scale_factors", resize<Mode::Nearest, 3, true>},
    {"aten.upsample_nearest3d_backward.default", "grad_output,output_size,input_size,scales_d,scales_h,scales_w",
     resizeBackward<Mode::Nearest, 3>},
    {"aten.upsample_trilinear3d.default", "self,output_size,align_corners,scales_d,scales_h,scales_w",
     resize<Mode::Linear, 3, false>},
    {"aten.upsample_trilinear3d.vec", "input,output_size,align_corners,scale_factors", resize<Mode::Linear, 3, true>},
    {"aten.upsample_trilinear3d_backward.default",
     "grad_output,output_size,input_size,align_corners,scales_d,scales_h,scales_w", resizeBackward<Mode::Linear, 3>},
    {"aten._upsample_nearest_exact2d.default", "self,output_size,scales_h,scales_w",
     resize<Mode::NearestExact, 2, false>},
    {"aten.col2im.default", "self,output_size,kernel_size,dilation,padding,stride", col2im},
    {"aten.im2col.default", "self,kernel_size,dilation,padding,stride", im2col},
    {"aten.reflection_pad1d.default", padNames, pad<reflect, 1, false>},
    {"aten.reflection_pad1d_backward.default", padGradNames, pad<reflect, 1, true>},
    {"aten.reflection_pad2d.default", padNames, pad<reflect, 2, false>},
    {"aten.reflection_pad2d_backward.default", padGradNames, pad<reflect, 2, true>},
    {"aten.reflection_pad3d.default", padNames, pad<reflect, 3, false>},
    {"aten.reflection_pad3d_backward.default", padGradNames, pad<reflect, 3, true>},
    {"aten.replication_pad1d.default", padNames, pad<replicate, 1, false>},
    {"aten.replication_pad1d_backward.default", padGradNames, pad<replicate, 1, true>},
    {"aten.replication_pad2d.default", padNames, pad<replicate, 2, false>},
    {"aten.replication_pad2d_backward.default", padGradNames, pad<replicate, 2, true>},
    {"aten.replication_pad3d.default", padNames, pad<replicate, 3, false>},
    {"aten.replication_pad3d_backward.default", padGradNames, pad<replicate, 3, true>},
    {"aten.upsample_bicubic2d.default", "self,output_size,align_corners,scales_h,scales_w",
     resize<Mode::Cubic, 2, false>},
    {"aten.upsample_bicubic2d.vec", "input,output_size,align_corners,scale_factors", resize<Mode::Cubic, 2, true>},
    {"aten.upsample_bicubic2d_backward.default", "grad_output,output_size,input_size,align_corners,scales_h,scales_w",
     resizeBackward<Mode::Cubic, 2>},
    {"aten.upsample_bilinear2d.default", "self,output_size,align_corners,scales_h,scales_w",
     resize<Mode::Linear, 2, false>},
    {"aten.upsample_bilinear2d.vec", "input,output_size,align_corners,scale_factors", resize<Mode::Linear, 2, true>},
    {"aten.upsample_bilinear2d_backward.default", "grad_output,output_size,input_size,align_corners,scales_h,scales_w",
     resizeBackward<Mode::Linear, 2>},
    {"aten.upsample_linear1d.default", "self,output_size,align_corners,scales", resize<Mode::Linear, 1, false>},
    {"aten.upsample_linear1d.vec", "input,output_size,align_corners,scale_factors", resize<Mode::Linear, 1, true>},
    {"aten.upsample_linear1d_backward.default", "grad_output,output_size,input_size,align_corners,scales",
     resizeBackward<Mode::Linear, 1>},
    {"aten.upsample_nearest1d.default", "self,output_size,scales", resize<Mode::Nearest, 1, false>},
    {"aten.upsample_nearest1d.vec", "input,output_size,scale_factors", resize<Mode::Nearest, 1, true>},
    {"aten.upsample_nearest1d_backward.default", "grad_output,output_size,input_size,scales",
     resizeBackward<Mode::Nearest, 1>},
    {"aten.upsample_nearest2d.default", "self,output_size,scales_h,scales_w", resize<Mode::Nearest, 2, false>},
    {"aten.upsample_nearest2d.vec", "input,output_size,scale_factors", resize<Mode::Nearest, 2, true>},
    {"aten.upsample_nearest2d_backward.default", "grad_output,output_size,input_size,scales_h,scales_w",
     resizeBackward<Mode::Nearest, 2>},
};

} // namespace

llvm::ArrayRef<Kernel> resamplingKernels() { return resamplingTable; }

} // namespace ccgraph::runtime
