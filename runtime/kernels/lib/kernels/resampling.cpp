#include "kernels/dense_values.h"
#include "kernels/families.h"

#include <cmath>

namespace ccgraph::runtime {
namespace {

/// One element of the input and its share in an element of the output, along one dimension.
struct Share {
  int64_t at;
  double weight;
};
/// The elements that each position of an output dimension reads.
using Axis = Scratch<Scratch<Share>>;

/// Resizing is linear: the last dimensions are read through their axes, the leading ones are independent planes.
struct Resampling {
  std::vector<Axis> axes;
  IntList inputSizes, outputSizes; ///< whole tensors
};

/// Calls body(output element, input element, weight) for one plane, counted within it.
template <typename Body>
void forEachShare(const Resampling &r, Body body) {
  Scratch<Scratch<Share>> plane{{{0, 1.0}}};
  IntListRef in = IntListRef(r.inputSizes).take_back(r.axes.size());
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
  const IntList &from = backward ? r.outputSizes : r.inputSizes, &to = backward ? r.inputSizes : r.outputSizes;
  bool fits = source.sizes() == IntListRef(from) && computable(source.dtype()) && !isComplex(source.dtype());
  if (args.failed() || !args.check(fits, "got " + typeOf(source) + ", expected real elements of sizes " + dimsOf(from)))
    return {};
  Values in = readAll(source), out(static_cast<size_t>(productOf(to)));
  int64_t planes = productOf(IntListRef(from).drop_back(r.axes.size()));
  int64_t inPlane = productOf(IntListRef(from).take_back(r.axes.size()));
  int64_t outPlane = productOf(IntListRef(to).take_back(r.axes.size()));
  forEachShare(r, [&](int64_t output, int64_t input, double weight) {
    for (int64_t p = 0; p < planes; ++p) {
      int64_t a = p * outPlane + (backward ? input : output), b = p * inPlane + (backward ? output : input);
      out[static_cast<size_t>(a)] += weight * in[static_cast<size_t>(b)];
    }
  });
  return tensorOf(out, source.dtype(), to, source);
}

// --- Resizing ---------------------------------------------------------------------------------------------
/// How an element of the result is made of elements of the input.
enum class Mode : uint8_t {
  Nearest, ///< the element whose scaled left edge is nearest
  Exact,   ///< the element whose scaled centre is nearest
  Linear,  ///< of two neighbours a dimension
  Cubic,   ///< of four (R. Keys, "Cubic convolution interpolation for digital image processing", 1981)
};

/// Distance between neighbours of the output, in elements of the input. `factor` is the stated scale, 0 where only
/// sizes are given.
template <typename T>
T stepOf(int64_t in, int64_t out, double factor, bool aligned) {
  if (aligned)
    return out > 1 ? static_cast<T>(in - 1) / static_cast<T>(out - 1) : 0;
  return factor > 0 ? static_cast<T>(1 / factor) : static_cast<T>(in) / static_cast<T>(out);
}

template <typename T>
Scratch<Share> nearest(int64_t in, int64_t out, int64_t i, T step, Mode mode) {
  auto place = static_cast<T>(i);
  T at = mode == Mode::Exact ? (place + T(0.5)) * step : place * step;
  // PyTorch tests these two ratios first, whatever the stated scale.
  bool exact = mode == Mode::Exact;
  int64_t chosen = !exact && out == in ? i : !exact && out == 2 * in ? i / 2 : static_cast<int64_t>(std::floor(at));
  return {{std::min(chosen, in - 1), 1.0}};
}

template <typename T>
Scratch<Share> linear(int64_t in, T at) {
  at = std::max(at, T(0));
  int64_t low = std::min(static_cast<int64_t>(at), in - 1), high = std::min(low + 1, in - 1);
  double share = at - static_cast<T>(low);
  // PyTorch reads both neighbours even where one has no share, so an infinity there gives NaN.
  return {{low, 1 - share}, {high, share}};
}

/// Keys's kernel with a = -0.75, at a distance of less than 1, and of 1 to 2.
double cubicNear(double x) { return (1.25 * x - 2.25) * x * x + 1; }
double cubicFar(double x) { return -0.75 * (((x - 5) * x + 8) * x - 4); }

template <typename T>
Scratch<Share> cubic(int64_t in, T at) {
  T low = std::floor(at);
  double t = at - low;
  double weights[] = {cubicFar(t + 1), cubicNear(t), cubicNear(1 - t), cubicFar(2 - t)};
  Scratch<Share> shares;
  for (int64_t k = 0; k < 4; ++k)
    shares.push_back({std::clamp<int64_t>(static_cast<int64_t>(low) + k - 1, 0, in - 1), weights[k]});
  return shares;
}

/// PyTorch computes positions in T: f64 for f64 and u8, f32 for other dtypes.
template <typename T>
Axis resized(int64_t in, int64_t out, double factor, bool aligned, Mode mode) {
  Axis axis;
  T step = stepOf<T>(in, out, factor, aligned);
  for (int64_t i = 0; i < out; ++i) {
    auto place = static_cast<T>(i);
    T at = aligned ? place * step : (place + T(0.5)) * step - T(0.5);
    axis.push_back(mode == Mode::Linear  ? linear<T>(in, at)
                   : mode == Mode::Cubic ? cubic<T>(in, at)
                                         : nearest<T>(in, out, i, step, mode));
  }
  return axis;
}

/// A resizing operator: the dimensions that it resizes, from the last, and the positions of its parameters.
struct Form {
  Mode mode;
  size_t rank;
  unsigned aligned = noArgument;
  unsigned factors = noArgument; ///< the first of one factor a dimension, or (vec) a list of them
  bool isList = false;
};

IntList outputOf(KernelArgs &args, IntListRef in, const Form &form) {
  if (args.has(1))
    return args.integers(1);
  IntList result;
  const Value &factors = args.at(form.factors);
  for (size_t d = 0; d < form.rank && form.isList && factors.is(Value::Kind::List) && d < factors.list().size(); ++d)
    if (const Value &f = factors.list()[d]; f.is(Value::Kind::Float))
      result.push_back(static_cast<int64_t>(static_cast<double>(in.take_back(form.rank)[d]) * f.floating()));
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
  return tensorOf(values, source.dtype(), r.outputSizes, source);
}

Resampling resizing(KernelArgs &args, IntListRef in, const Form &form) {
  Resampling r{{}, toIntList(in), toIntList(in)};
  IntList out = outputOf(args, in, form);
  bool aligned = args.boolean(form.aligned, false);
  bool fits = in.size() == form.rank + 2 && out.size() == form.rank &&
              llvm::all_of(out, [](int64_t n) { return n > 0; }) && productOf(in.drop_front()) > 0;
  if (args.failed() || !args.check(fits, "got input sizes " + dimsOf(in) + " and output_size " + dimsOf(out)))
    return r;
  DType dtype = args.tensor(0).dtype();
  bool wide = dtype == DType::F64 || dtype == DType::U8;
  for (size_t d = 0; d < form.rank; ++d) {
    double factor = factorOf(args, form, d);
    r.axes.push_back(wide ? resized<double>(in[2 + d], out[d], factor, aligned, form.mode)
                          : resized<float>(in[2 + d], out[d], factor, aligned, form.mode));
    r.outputSizes[2 + d] = out[d];
  }
  return r;
}

bool hasCorners(Mode mode) { return mode == Mode::Linear || mode == Mode::Cubic; }

/// The parameters from the one after the sizes on: align_corners, if the mode has it, and the factors.
Form formOf(Mode mode, size_t rank, unsigned next, bool isList) {
  return hasCorners(mode) ? Form{mode, rank, next, next + 1, isList} : Form{mode, rank, noArgument, next, isList};
}

Value resizeAs(KernelArgs &args, const Form &form) {
  const Tensor &self = args.tensor(0);
  Resampling r = resizing(args, self.sizes(), form);
  if (self.dtype() == DType::U8 && hasCorners(form.mode) && !args.failed())
    return applyWhole(self, r);
  return apply(args, self, r, false);
}
template <Mode mode, size_t rank>
Value resize(KernelArgs &args) {
  return resizeAs(args, formOf(mode, rank, 2, false));
}
template <Mode mode, size_t rank>
Value resizeByList(KernelArgs &args) {
  return resizeAs(args, formOf(mode, rank, 2, true));
}

/// (grad_output, output_size, input_size, align_corners, factors...)
template <Mode mode, size_t rank>
Value resizeBackward(KernelArgs &args) {
  IntList in = args.integers(2);
  Value gradient = apply(args, args.tensor(0), resizing(args, in, formOf(mode, rank, 3, false)), true);
  // PyTorch allocates this one without regard to the layout of grad_output.
  const bool isRowMajor = rank == 3 && (mode == Mode::Nearest || mode == Mode::Exact);
  return isRowMajor && !args.failed() ? Value(gradient.tensor().contiguous()) : gradient;
}

// A sampling operator's forms: by sizes, by a list of factors, and the gradient of its input.
#define CCGRAPH_RESIZING(NAME, MODE, RANK, OPTIONS, CORNERS)                                                           \
  {"aten." NAME ".default", "self,output_size," CORNERS OPTIONS, resize<Mode::MODE, RANK>},                            \
      {"aten." NAME ".vec", "input,output_size," CORNERS "scale_factors", resizeByList<Mode::MODE, RANK>}, {           \
    "aten." NAME "_backward.default", "grad_output,output_size,input_size," CORNERS OPTIONS,                           \
        resizeBackward<Mode::MODE, RANK>                                                                               \
  }
const Kernel resamplingTable[] = {
    CCGRAPH_RESIZING("_upsample_nearest_exact1d", Exact, 1, "scales", ""),
    CCGRAPH_RESIZING("_upsample_nearest_exact2d", Exact, 2, "scales_h,scales_w", ""),
    CCGRAPH_RESIZING("_upsample_nearest_exact3d", Exact, 3, "scales_d,scales_h,scales_w", ""),
    CCGRAPH_RESIZING("upsample_bicubic2d", Cubic, 2, "scales_h,scales_w", "align_corners,"),
    CCGRAPH_RESIZING("upsample_bilinear2d", Linear, 2, "scales_h,scales_w", "align_corners,"),
    CCGRAPH_RESIZING("upsample_linear1d", Linear, 1, "scales", "align_corners,"),
    CCGRAPH_RESIZING("upsample_nearest1d", Nearest, 1, "scales", ""),
    CCGRAPH_RESIZING("upsample_nearest2d", Nearest, 2, "scales_h,scales_w", ""),
    CCGRAPH_RESIZING("upsample_nearest3d", Nearest, 3, "scales_d,scales_h,scales_w", ""),
    CCGRAPH_RESIZING("upsample_trilinear3d", Linear, 3, "scales_d,scales_h,scales_w", "align_corners,"),
};
#undef CCGRAPH_RESIZING

} // namespace

llvm::ArrayRef<Kernel> resamplingKernels() { return resamplingTable; }

} // namespace ccgraph::runtime
