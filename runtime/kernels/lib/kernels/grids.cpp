#include "kernels/families.h"
#include "kernels/kernel_args.h"
#include "tensor/elements.h"

#include <cmath>

// Sampling at the places that a grid names: M. Jaderberg et al., "Spatial Transformer Networks" (2015). A place is
// between -1 and 1 in each dimension, the last dimension first.
namespace ccgraph::runtime {
namespace {

enum class Mode : uint8_t { Linear, Nearest, Cubic };
enum class Border : uint8_t { Zeros, Clamp, Reflect };

/// One position along one dimension, and how its share of the result grows with the place.
struct Tap {
  int64_t at; ///< -1 outside
  double weight;
  double slope;
};
using Taps = llvm::SmallVector<Tap, 4>;

/// One dimension: its size, and what a place outside means.
struct Axis {
  int64_t size;
  Border border;
  bool aligned; ///< -1 and 1 are the centres of the first and last element, not their edges
};

/// A number, and how fast it grows with the place that the grid names.
struct Moving {
  double value;
  double speed;
};

Moving clamped(Moving x, const Axis &axis) {
  auto last = static_cast<double>(axis.size - 1);
  // Because the slope at the border itself is taken as 0, and NaN goes to the first element.
  if (!(x.value > 0))
    return {0, 0};
  return x.value >= last ? Moving{last, 0} : x;
}

/// There and back between the borders, until it lies between them.
Moving reflected(Moving x, const Axis &axis) {
  double low = axis.aligned ? 0 : -0.5, span = static_cast<double>(axis.size) - (axis.aligned ? 1 : 0);
  if (span == 0)
    return {0, 0};
  double off = x.value - low, speed = x.speed;
  if (off < 0) {
    off = -off;
    speed = -speed;
  }
  double rest = std::fmod(off, span);
  bool back = static_cast<int64_t>(std::floor(off / span)) % 2 != 0;
  return back ? Moving{span - rest + low, -speed} : Moving{rest + low, speed};
}

Moving within(Moving x, const Axis &axis) {
  if (axis.border == Border::Zeros)
    return x;
  return clamped(axis.border == Border::Reflect ? reflected(x, axis) : x, axis);
}

Moving placeOf(double grid, const Axis &axis) {
  auto size = static_cast<double>(axis.size);
  return axis.aligned ? Moving{(grid + 1) / 2 * (size - 1), (size - 1) / 2}
                      : Moving{((grid + 1) * size - 1) / 2, size / 2};
}

int64_t inside(double position, const Axis &axis) {
  return position >= 0 && position < static_cast<double>(axis.size) ? static_cast<int64_t>(position) : -1;
}

/// R. Keys, "Cubic convolution interpolation" (1981), with a = -0.75.
constexpr double a = -0.75;
Moving cubicNear(double t) { return {((a + 2) * t - (a + 3)) * t * t + 1, (3 * (a + 2) * t - 2 * (a + 3)) * t}; }
Moving cubicFar(double t) { return {((a * t - 5 * a) * t + 8 * a) * t - 4 * a, (3 * a * t - 10 * a) * t + 8 * a}; }

Taps cubicTaps(Moving place, const Axis &axis) {
  double low = std::floor(place.value), t = place.value - low;
  Moving weights[] = {cubicFar(t + 1), cubicNear(t), cubicNear(1 - t), cubicFar(2 - t)};
  Taps taps;
  for (int i = 0; i < 4; ++i) {
    double speed = i < 2 ? place.speed : -place.speed;
    taps.push_back({inside(within({low - 1 + i, 0}, axis).value, axis), weights[i].value, weights[i].speed * speed});
  }
  return taps;
}

Taps tapsOf(double grid, const Axis &axis, Mode mode) {
  Moving place = placeOf(grid, axis);
  if (mode == Mode::Cubic)
    return cubicTaps(place, axis);
  place = within(place, axis);
  if (mode == Mode::Nearest)
    return {{inside(std::nearbyint(place.value), axis), 1, 0}};
  double low = std::floor(place.value), t = place.value - low;
  return {{inside(low, axis), 1 - t, -place.speed}, {inside(low + 1, axis), t, place.speed}};
}

/// input [n, c, ...] and grid [n, ..., d], d = 2 or 3.
struct Sampling {
  Tensor input;
  Tensor grid;
  Mode mode = Mode::Linear;
  llvm::SmallVector<Axis, 3> axes; ///< of the input's last dimensions, in their order
  int64_t plane = 0;               ///< elements of one
  int64_t places = 0;              ///< of one sample
};

std::optional<Sampling> samplingOf(KernelArgs &args, unsigned first, int64_t dims) {
  Sampling s{.input = args.tensor(first), .grid = args.tensor(first + 1)};
  int64_t mode = args.integer(first + 2), border = args.integer(first + 3);
  bool aligned = args.boolean(first + 4, false);
  bool fits = s.input.rank() == dims + 2 && s.grid.rank() == dims + 2 && s.grid.sizes().back() == dims &&
              s.input.size(0) == s.grid.size(0) && isFloat(s.input.dtype()) && s.input.dtype() == s.grid.dtype() &&
              computable(s.input.dtype()) && mode >= 0 && mode <= 2 && border >= 0 && border <= 2;
  if (args.failed() || !args.check(fits, "got input " + typeOf(s.input) + " and grid " + typeOf(s.grid) + ", mode " +
                                             llvm::Twine(mode) + ", padding " + llvm::Twine(border)))
    return std::nullopt;
  s.mode = static_cast<Mode>(mode);
  for (int64_t size : s.input.sizes().drop_front(2))
    s.axes.push_back({size, static_cast<Border>(border), aligned});
  s.plane = productOf(s.input.sizes().drop_front(2));
  s.places = productOf(s.grid.sizes().drop_front().drop_back());
  return s;
}

/// Calls body(cell of the plane, weight, slopes by dimension of the grid) for each cell that has a share in a place.
template <typename Body>
void forEachCell(const Sampling &s, llvm::ArrayRef<double> place, Body body) {
  llvm::SmallVector<Taps, 3> taps;
  for (size_t d = 0; d < s.axes.size(); ++d)
    taps.push_back(tapsOf(place[s.axes.size() - 1 - d], s.axes[d], s.mode));
  size_t count = 1;
  for (const Taps &of : taps)
    count *= of.size();
  for (size_t k = 0; k < count; ++k) {
    int64_t cell = 0;
    bool outside = false;
    llvm::SmallVector<Tap, 3> chosen;
    size_t rest = k;
    for (size_t d = taps.size(); d-- > 0; rest /= taps[d].size())
      chosen.insert(chosen.begin(), taps[d][rest % taps[d].size()]);
    double weight = 1;
    for (size_t d = 0; d < chosen.size(); ++d) {
      outside |= chosen[d].at < 0;
      cell = cell * s.axes[d].size + chosen[d].at;
      weight *= chosen[d].weight;
    }
    if (outside)
      continue;
    llvm::SmallVector<double, 3> slopes(chosen.size(), 1);
    for (size_t d = 0; d < chosen.size(); ++d)
      for (size_t e = 0; e < chosen.size(); ++e)
        slopes[chosen.size() - 1 - d] *= d == e ? chosen[e].slope : chosen[e].weight;
    body(cell, weight, slopes);
  }
}

Tensor tensorOf(llvm::ArrayRef<double> values, DType dtype, DimsRef sizes) {
  Tensor result = Tensor::zeros(dtype, sizes);
  writeRow<double>(dtype, {result.data(), result.elementSize()}, values);
  return result;
}

/// (input, grid, interpolation_mode, padding_mode, align_corners)
template <int64_t dims>
Value sample(KernelArgs &args) {
  std::optional<Sampling> s = samplingOf(args, 0, dims);
  if (!s)
    return {};
  Scratch<double> in = readAll(s->input), grid = readAll(s->grid);
  int64_t samples = s->input.size(0), channels = s->input.size(1);
  Scratch<double> out(static_cast<size_t>(samples * channels * s->places));
  for (int64_t n = 0; n < samples; ++n)
    for (int64_t p = 0; p < s->places; ++p)
      forEachCell(*s, {grid.data() + (n * s->places + p) * dims, static_cast<size_t>(dims)},
                  [&](int64_t cell, double weight, llvm::ArrayRef<double>) {
                    for (int64_t c = n * channels; c < (n + 1) * channels; ++c)
                      out[static_cast<size_t>(c * s->places + p)] +=
                          weight * in[static_cast<size_t>(c * s->plane + cell)];
                  });
  Dims sizes{samples, channels};
  sizes.append(s->grid.sizes().begin() + 1, s->grid.sizes().end() - 1);
  return tensorOf(out, s->input.dtype(), sizes);
}

bool wants(KernelArgs &args, unsigned mask, size_t i) {
  const Value &flags = args.at(mask);
  return !flags.is(Value::Kind::List) || i >= flags.list().size() || flags.list()[i].boolean();
}

/// (grad_output, input, grid, interpolation_mode, padding_mode, align_corners, output_mask) -> (input's, grid's)
template <int64_t dims>
Value sampleBackward(KernelArgs &args) {
  std::optional<Sampling> s = samplingOf(args, 1, dims);
  if (!s)
    return {};
  int64_t samples = s->input.size(0), channels = s->input.size(1);
  Scratch<double> in = readAll(s->input), grid = readAll(s->grid), grad = readAll(args.tensor(0));
  if (!args.check(static_cast<int64_t>(grad.size()) == samples * channels * s->places,
                  "got grad_output " + typeOf(args.tensor(0))))
    return {};
  Scratch<double> inGrad(in.size()), gridGrad(grid.size());
  for (int64_t n = 0; n < samples; ++n)
    for (int64_t p = 0; p < s->places; ++p) {
      int64_t place = (n * s->places + p) * dims;
      forEachCell(*s, {grid.data() + place, static_cast<size_t>(dims)},
                  [&](int64_t cell, double weight, llvm::ArrayRef<double> slopes) {
                    for (int64_t c = n * channels; c < (n + 1) * channels; ++c) {
                      double upstream = grad[static_cast<size_t>(c * s->places + p)];
                      auto at = static_cast<size_t>(c * s->plane + cell);
                      inGrad[at] += weight * upstream;
                      for (int64_t d = 0; d < dims; ++d)
                        gridGrad[static_cast<size_t>(place + d)] += slopes[static_cast<size_t>(d)] * upstream * in[at];
                    }
                  });
    }
  DType dtype = s->input.dtype();
  return Value::list({wants(args, 6, 0) ? Value(tensorOf(inGrad, dtype, s->input.sizes())) : Value(),
                      tensorOf(gridGrad, dtype, s->grid.sizes())});
}

constexpr llvm::StringLiteral names = "input,grid,interpolation_mode,padding_mode,align_corners";
constexpr llvm::StringLiteral gradNames =
    "grad_output,input,grid,interpolation_mode,padding_mode,align_corners,output_mask";

const Kernel gridTable[] = {
    {"aten.grid_sampler_2d.default", names, sample<2>},
    {"aten.grid_sampler_2d_backward.default", gradNames, sampleBackward<2>},
    {"aten.grid_sampler_3d.default", names, sample<3>},
    {"aten.grid_sampler_3d_backward.default", gradNames, sampleBackward<3>},
};

} // namespace

llvm::ArrayRef<Kernel> gridKernels() { return gridTable; }

} // namespace ccgraph::runtime
