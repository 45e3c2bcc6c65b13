#include "kernels/dense_values.h"
#include "kernels/families.h"

#include <cmath>

// Sampling of images at places that a grid states, and its gradients (M. Jaderberg et al., "Spatial Transformer
// Networks", 2015). Places are numbers from -1 to 1 across the input.
namespace ccgraph::runtime {
namespace {

enum class Between : uint8_t { Linear, Nearest, Cubic };
enum class Beyond : uint8_t { Zeros, Border, Reflection };

struct Sampling {
  Between between;
  Beyond beyond;
  bool aligned;
};

/// A place along one dimension in elements, and its slope along the grid's number.
struct Place {
  double at;
  double slope;
};

Place scaled(double x, int64_t size, bool aligned) {
  auto n = static_cast<double>(size);
  return aligned ? Place{(x + 1) / 2 * (n - 1), (n - 1) / 2} : Place{((x + 1) * n - 1) / 2, n / 2};
}

/// Inside [0, size - 1]; a place on the border or beyond does not move with the grid. NaN is the first element.
Place clipped(Place p, int64_t size) {
  auto last = static_cast<double>(size - 1);
  if (!(p.at > 0))
    return {0, 0};
  return p.at >= last ? Place{last, 0} : p;
}

/// Reflected at low and high, half a period apart, as often as needed.
Place reflectedBetween(Place p, double low, double high) {
  double span = high - low;
  if (span == 0)
    return {0, 0};
  bool below = p.at < low;
  double distance = std::fabs(p.at - low), flips = std::floor(distance / span), rest = std::fmod(distance, span);
  bool odd = std::fmod(flips, 2) != 0;
  return {odd ? high - rest : low + rest, p.slope * (below ? -1 : 1) * (odd ? -1 : 1)};
}

/// The element that is read; its place is inside the input unless zeros lie beyond.
Place placeOf(Place p, int64_t size, const Sampling &s) {
  if (s.beyond == Beyond::Border)
    p = clipped(p, size);
  if (s.beyond == Beyond::Reflection) {
    auto n = static_cast<double>(size);
    p = clipped(s.aligned ? reflectedBetween(p, 0, n - 1) : reflectedBetween(p, -0.5, n - 0.5), size);
  }
  // A place that no index reaches reads zeros, as infinities and NaN do in PyTorch.
  return std::isfinite(p.at) && std::fabs(p.at) < 1e9 ? p : Place{-100, p.slope};
}

/// An element along one dimension, its weight, and the weight's slope along the grid's number. -1: beyond the input.
struct Weighted {
  int64_t at;
  double weight;
  double slope;
};
using Line = llvm::SmallVector<Weighted, 4>;

double cubicNear(double x) { return (1.25 * x - 2.25) * x * x + 1; }
double cubicFar(double x) { return -0.75 * (((x - 5) * x + 8) * x - 4); }
double cubicNearSlope(double x) { return (3.75 * x - 4.5) * x; }
double cubicFarSlope(double x) { return -0.75 * ((3 * x - 10) * x + 8); }

/// Four elements; each one alone is moved inside the input.
Line cubicLine(Place p, int64_t size, const Sampling &s) {
  if (!std::isfinite(p.at) || std::fabs(p.at) > 1e9)
    p.at = -100;
  double low = std::floor(p.at), t = p.at - low;
  double weights[] = {cubicFar(t + 1), cubicNear(t), cubicNear(1 - t), cubicFar(2 - t)};
  double slopes[] = {cubicFarSlope(t + 1), cubicNearSlope(t), -cubicNearSlope(1 - t), -cubicFarSlope(2 - t)};
  Line line;
  for (int k = 0; k < 4; ++k) {
    auto at = static_cast<int64_t>(placeOf({low + k - 1, 0}, size, s).at);
    line.push_back({at >= 0 && at < size ? at : -1, weights[k], slopes[k] * p.slope});
  }
  return line;
}

Line lineOf(double x, int64_t size, const Sampling &s) {
  Place p = scaled(x, size, s.aligned);
  if (s.between == Between::Cubic)
    return cubicLine(p, size, s);
  p = placeOf(p, size, s);
  auto inside = [&](double at) { return at >= 0 && at < static_cast<double>(size) ? static_cast<int64_t>(at) : -1; };
  if (s.between == Between::Nearest)
    return {{inside(std::nearbyint(p.at)), 1, 0}};
  double low = std::floor(p.at), share = p.at - low;
  return {{inside(low), 1 - share, -p.slope}, {inside(low + 1), share, p.slope}};
}

/// [N, C, ..., H, W], and a grid [N, ..., H', W', rank]. The last number of a place belongs to the first dimension.
struct Sampler {
  Tensor input;
  IntList outputSizes;
  Values grid;
  size_t rank = 0;
  Sampling sampling{};

  [[nodiscard]] IntListRef spatial() const { return input.sizes().drop_front(2); }
  [[nodiscard]] int64_t places() const { return productOf(IntListRef(outputSizes).drop_front(2)); }

  /// The lines of one place, the first dimension first.
  [[nodiscard]] llvm::SmallVector<Line, 3> linesAt(int64_t place) const {
    llvm::SmallVector<Line, 3> lines;
    for (size_t d = 0; d < rank; ++d) {
      double x = grid[static_cast<size_t>(place) * rank + rank - 1 - d];
      lines.push_back(lineOf(x, spatial()[d], sampling));
    }
    return lines;
  }
};

/// Calls body(cell of the plane, elements of the lines) for each element that the lines read inside the input.
template <typename Body>
void forEachCell(llvm::ArrayRef<Line> lines, IntListRef sizes, Body body) {
  IntList choice(lines.size(), 0);
  for (bool more = true; more;) {
    int64_t cell = 0;
    for (size_t d = 0; d < lines.size() && cell >= 0; ++d) {
      int64_t at = lines[d][static_cast<size_t>(choice[d])].at;
      cell = at < 0 ? -1 : cell * sizes[d] + at;
    }
    if (cell >= 0)
      body(cell, IntListRef(choice));
    more = false;
    for (size_t d = lines.size(); d-- > 0 && !more;) {
      more = ++choice[d] < static_cast<int64_t>(lines[d].size());
      choice[d] = more ? choice[d] : 0;
    }
  }
}

/// The product of the weights; with the slope of dimension `sloped` in place of its weight.
double weightOf(llvm::ArrayRef<Line> lines, IntListRef choice, size_t sloped) {
  double product = 1;
  for (size_t d = 0; d < lines.size(); ++d) {
    const Weighted &chosen = lines[d][static_cast<size_t>(choice[d])];
    product *= d == sloped ? chosen.slope : chosen.weight;
  }
  return product;
}

/// Arguments from `first` on: input, grid, interpolation_mode, padding_mode, align_corners.
Sampler samplerOf(KernelArgs &args, unsigned first, size_t rank) {
  Sampler s{.input = args.tensor(first), .rank = rank};
  const Tensor &grid = args.tensor(first + 1);
  int64_t between = args.integer(first + 2), beyond = args.integer(first + 3);
  s.sampling = {static_cast<Between>(between), static_cast<Beyond>(beyond), args.boolean(first + 4, false)};
  bool known = between >= 0 && between <= (rank == 2 ? 2 : 1) && beyond >= 0 && beyond <= 2;
  args.check(known, "got interpolation_mode " + llvm::Twine(between) + " and padding_mode " + llvm::Twine(beyond));
  auto dims = static_cast<int64_t>(rank) + 2;
  bool fits = s.input.rank() == dims && grid.rank() == dims && grid.size(dims - 1) == static_cast<int64_t>(rank) &&
              s.input.size(0) == grid.size(0) && isFloat(s.input.dtype()) && s.input.dtype() == grid.dtype() &&
              computable(grid.dtype()) && productOf(s.input.sizes().drop_front(2)) > 0;
  if (args.failed() || !args.check(fits, "got input " + typeOf(s.input) + " and grid " + typeOf(grid)))
    return s;
  s.outputSizes = {s.input.size(0), s.input.size(1)};
  s.outputSizes.append(grid.sizes().begin() + 1, grid.sizes().end() - 1);
  s.grid = readAll(grid);
  return s;
}

template <size_t rank>
Value sample(KernelArgs &args) {
  Sampler s = samplerOf(args, 0, rank);
  if (args.failed())
    return {};
  Values in = readAll(s.input), out(static_cast<size_t>(productOf(s.outputSizes)));
  int64_t channels = s.input.size(1), plane = productOf(s.spatial()), places = s.places();
  for (int64_t n = 0; n < s.input.size(0); ++n)
    for (int64_t place = 0; place < places; ++place) {
      auto lines = s.linesAt(n * places + place);
      forEachCell(lines, s.spatial(), [&](int64_t cell, IntListRef choice) {
        double weight = weightOf(lines, choice, rank);
        for (int64_t c = n * channels; c < (n + 1) * channels; ++c)
          out[static_cast<size_t>(c * places + place)] += weight * in[static_cast<size_t>(c * plane + cell)];
      });
    }
  return tensorOf(out, s.input.dtype(), s.outputSizes, s.input);
}

/// (grad_output, input, grid, interpolation_mode, padding_mode, align_corners, output_mask) -> (of input, of grid)
template <size_t rank>
Value sampleBackward(KernelArgs &args) {
  Sampler s = samplerOf(args, 1, rank);
  const Tensor &upstream = args.tensor(0), &gridTensor = args.tensor(2);
  const Value &mask = args.at(6);
  bool wantsInput = !mask.is(Value::Kind::List) || mask.list().empty() || mask.list()[0].boolean();
  if (args.failed() ||
      !args.check(upstream.sizes() == IntListRef(s.outputSizes), "got grad_output " + typeOf(upstream)))
    return {};
  Values in = readAll(s.input), grad = readAll(upstream), ofInput(in.size()), ofGrid(s.grid.size());
  int64_t channels = s.input.size(1), plane = productOf(s.spatial()), places = s.places();
  for (int64_t n = 0; n < s.input.size(0); ++n)
    for (int64_t place = n * places; place < (n + 1) * places; ++place) {
      auto lines = s.linesAt(place);
      forEachCell(lines, s.spatial(), [&](int64_t cell, IntListRef choice) {
        double joint = 0;
        for (int64_t c = n * channels; c < (n + 1) * channels; ++c) {
          double g = grad[static_cast<size_t>(c * places + place - n * places)];
          joint += g * in[static_cast<size_t>(c * plane + cell)];
          ofInput[static_cast<size_t>(c * plane + cell)] += g * weightOf(lines, choice, rank);
        }
        for (size_t d = 0; d < rank; ++d)
          ofGrid[static_cast<size_t>(place) * rank + rank - 1 - d] += joint * weightOf(lines, choice, d);
      });
    }
  return Value::list({wantsInput ? Value(tensorOf(ofInput, s.input.dtype(), s.input.sizes())) : Value(),
                      tensorOf(ofGrid, gridTensor.dtype(), gridTensor.sizes())});
}

// --- Grids of an affine map ---------------------------------------------------------------------------------
/// Calls body(place, its numbers in [-1, 1], the last dimension first, and a 1) for each place of these sizes.
template <typename Body>
void forEachAffinePlace(IntListRef sizes, bool aligned, Body body) {
  int64_t places = productOf(sizes);
  llvm::SmallVector<double, 4> x(sizes.size() + 1, 1);
  for (int64_t place = 0; place < places; ++place) {
    int64_t rest = place;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) {
      auto n = static_cast<double>(sizes[d]), at = static_cast<double>(rest % sizes[d]);
      double spread = n > 1 ? 2 * at / (n - 1) - 1 : 0;
      x[sizes.size() - 1 - d] = aligned ? spread : spread * (n - 1) / n;
    }
    body(place, llvm::ArrayRef<double>(x));
  }
}

/// [N, C, ...] as argument 1; empty where it does not fit.
IntList affineSizes(KernelArgs &args, const Tensor &batched) {
  IntList size = args.integers(1);
  bool fits = (size.size() == 4 || size.size() == 5) && batched.rank() > 0 && batched.size(0) == size[0] &&
              isFloat(batched.dtype()) && computable(batched.dtype());
  if (args.failed() || !args.check(fits, "got size " + dimsOf(size) + " for " + typeOf(batched)))
    return {};
  return toIntList(IntListRef(size).drop_front(2));
}

/// (theta, size, align_corners): theta, [N, rank, rank + 1], of each place.
Value affineGrid(KernelArgs &args) {
  const Tensor &theta = args.tensor(0);
  IntList spatial = affineSizes(args, theta);
  auto rank = static_cast<int64_t>(spatial.size());
  if (args.failed() || !args.check(theta.sizes().drop_front() == IntListRef({rank, rank + 1}), "got " + typeOf(theta)))
    return {};
  Values maps = readAll(theta);
  IntList sizes = {theta.size(0)};
  sizes.append(spatial);
  sizes.push_back(rank);
  Values grid(static_cast<size_t>(productOf(sizes)));
  for (int64_t n = 0; n < theta.size(0); ++n)
    forEachAffinePlace(spatial, args.boolean(2, false), [&](int64_t place, llvm::ArrayRef<double> x) {
      for (int64_t i = 0; i < rank; ++i)
        for (int64_t j = 0; j <= rank; ++j)
          grid[static_cast<size_t>((n * productOf(spatial) + place) * rank + i)] +=
              maps[static_cast<size_t>((n * rank + i) * (rank + 1) + j)] * x[static_cast<size_t>(j)];
    });
  return tensorOf(grid, theta.dtype(), sizes);
}

/// (grad, size, align_corners)
Value affineGridBackward(KernelArgs &args) {
  const Tensor &grad = args.tensor(0);
  IntList spatial = affineSizes(args, grad);
  auto rank = static_cast<int64_t>(spatial.size());
  if (args.failed() ||
      !args.check(grad.numElements() == grad.size(0) * productOf(spatial) * rank, "got " + typeOf(grad)))
    return {};
  Values upstream = readAll(grad), result(static_cast<size_t>(grad.size(0) * rank * (rank + 1)));
  for (int64_t n = 0; n < grad.size(0); ++n)
    forEachAffinePlace(spatial, args.boolean(2, false), [&](int64_t place, llvm::ArrayRef<double> x) {
      for (int64_t i = 0; i < rank; ++i)
        for (int64_t j = 0; j <= rank; ++j)
          result[static_cast<size_t>((n * rank + i) * (rank + 1) + j)] +=
              upstream[static_cast<size_t>((n * productOf(spatial) + place) * rank + i)] * x[static_cast<size_t>(j)];
    });
  return tensorOf(result, grad.dtype(), {grad.size(0), rank, rank + 1});
}

constexpr llvm::StringLiteral names = "input,grid,interpolation_mode,padding_mode,align_corners";
constexpr llvm::StringLiteral gradNames =
    "grad_output,input,grid,interpolation_mode,padding_mode,align_corners,output_mask";

const Kernel gridSamplerTable[] = {
    {"aten.affine_grid_generator.default", "theta,size,align_corners", affineGrid},
    {"aten.affine_grid_generator_backward.default", "grad,size,align_corners", affineGridBackward},
    {"aten.grid_sampler_2d.default", names, sample<2>},
    {"aten.grid_sampler_2d_backward.default", gradNames, sampleBackward<2>},
    {"aten.grid_sampler_3d.default", names, sample<3>},
    {"aten.grid_sampler_3d_backward.default", gradNames, sampleBackward<3>},
};

} // namespace

llvm::ArrayRef<Kernel> gridSamplerKernels() { return gridSamplerTable; }

} // namespace ccgraph::runtime
