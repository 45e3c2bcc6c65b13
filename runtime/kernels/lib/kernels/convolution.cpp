#include "kernels/dense_values.h"
#include "kernels/families.h"
#include "kernels/memory_format.h"

#include <array>

namespace ccgraph::runtime {
namespace {

using Extent = std::array<int64_t, 3>;

/// The positions of convolution's arguments in a schema; absent ones read as left out.
struct Form {
  unsigned input = 0;
  unsigned bias = 2;
  unsigned stride = 3;
  unsigned padding = 4;
  unsigned dilation = 5;
  unsigned transposed = noArgument;
  unsigned outputPadding = noArgument;
  unsigned groups = 6;
};

/// A convolution links position p of a small tensor with position q = p * stride - padding + k * dilation of a large
/// one, through element k of the weight. The large one is the input of a normal convolution, and the output of a
/// transposed one. Fewer than three spatial dimensions have sizes of 1 in front.
struct Geometry {
  int64_t batch = 0;
  int64_t groups = 1;
  int64_t smallChannels = 0; ///< of one group
  int64_t largeChannels = 0;
  Extent small{}, large{}, kernel{}, stride{}, padding{}, dilation{}, outputPadding{};
};

/// One pair of positions, each counted within its plane; `large` is -1 in the padding.
struct Tap {
  int64_t small;
  int64_t kernel;
  int64_t large;
};

int64_t volume(const Extent &extent) { return extent[0] * extent[1] * extent[2]; }

/// Calls body(i) for each position, row-major.
template <typename Body>
void forEachPosition(const Extent &extent, Body body) {
  for (int64_t a = 0; a < extent[0]; ++a)
    for (int64_t b = 0; b < extent[1]; ++b)
      for (int64_t c = 0; c < extent[2]; ++c)
        body(Extent{a, b, c});
}

int64_t flat(const Extent &at, const Extent &extent) { return (at[0] * extent[1] + at[1]) * extent[2] + at[2]; }

Scratch<Tap> tapsOf(const Geometry &g) {
  Scratch<Tap> taps;
  forEachPosition(g.kernel, [&](Extent k) {
    forEachPosition(g.small, [&](Extent p) {
      Extent q;
      bool inside = true;
      for (size_t d = 0; d < 3; ++d) {
        q[d] = p[d] * g.stride[d] - g.padding[d] + k[d] * g.dilation[d];
        inside &= q[d] >= 0 && q[d] < g.large[d];
      }
      taps.push_back({flat(p, g.small), flat(k, g.kernel), inside ? flat(q, g.large) : -1});
    });
  });
  return taps;
}

/// Calls body(small, weight, large) with the flat indices of all combined elements. A position in the padding has the
/// index after the last element. Padding is zeros, which are multiplied like other elements, so an infinite weight
/// gives NaN there.
template <typename Body>
void forEachProduct(const Geometry &g, Body body) {
  Scratch<Tap> taps = tapsOf(g);
  int64_t smallPlane = volume(g.small), largePlane = volume(g.large), kernel = volume(g.kernel);
  auto padding = static_cast<size_t>(g.batch * g.groups * g.largeChannels * largePlane);
  for (int64_t n = 0; n < g.batch * g.groups; ++n)
    for (int64_t s = 0; s < g.smallChannels; ++s)
      for (int64_t l = 0; l < g.largeChannels; ++l) {
        int64_t small = (n * g.smallChannels + s) * smallPlane;
        int64_t large = (n * g.largeChannels + l) * largePlane;
        int64_t weight = ((n % g.groups * g.smallChannels + s) * g.largeChannels + l) * kernel;
        for (const Tap &tap : taps)
          body(static_cast<size_t>(small + tap.small), static_cast<size_t>(weight + tap.kernel),
               tap.large < 0 ? padding : static_cast<size_t>(large + tap.large));
      }
}

/// Rounded into new memory; channels-last where one of `likes` is, as PyTorch's CPU convolutions choose.
Tensor likeAny(const Values &values, DType dtype, IntListRef sizes, llvm::ArrayRef<Tensor> likes) {
  for (const Tensor &like : likes)
    if (suggestedStrides(sizes, like) != contiguousStrides(sizes))
      return tensorOf(values, dtype, sizes, like);
  return tensorOf(values, dtype, sizes);
}

/// A list of one number a spatial dimension, or of one for all, with `otherwise` for the dimensions in front.
Extent extentOf(KernelArgs &args, unsigned index, size_t rank, int64_t otherwise) {
  Extent result;
  result.fill(otherwise);
  if (!args.has(index))
    return result;
  IntList given = args.integers(index);
  if (!args.check(given.size() == rank || given.size() == 1,
                  "got " + dimsOf(given) + " for " + llvm::Twine(rank) + " dimensions"))
    return result;
  for (size_t d = 0; d < rank; ++d)
    result[3 - rank + d] = given[given.size() == 1 ? 0 : d];
  return result;
}

Extent planeOf(IntListRef sizes) {
  Extent result{1, 1, 1};
  for (size_t d = 2; d < sizes.size(); ++d)
    result[3 - sizes.size() + d] = sizes[d];
  return result;
}

/// 'same' pads so that the sizes are unchanged; an odd element goes to the end, where reading simply stops.
Extent samePadding(const Geometry &g) {
  Extent result;
  for (size_t d = 0; d < 3; ++d)
    result[d] = g.dilation[d] * (g.kernel[d] - 1) / 2;
  return result;
}

/// A convolution whose arguments fit each other.
struct Convolution {
  Tensor input;
  Tensor weight;
  bool transposed = false;
  Geometry geometry;
  IntList outputSizes;
};

/// Sizes of the other plane: the small one's from the large one's, or back.
Extent outputPlane(const Geometry &g, const Extent &input, bool transposed, bool same) {
  Extent result;
  for (size_t d = 0; d < 3; ++d) {
    int64_t reach = g.dilation[d] * (g.kernel[d] - 1) + 1;
    result[d] = transposed ? (input[d] - 1) * g.stride[d] - 2 * g.padding[d] + reach + g.outputPadding[d]
                : same     ? input[d]
                           : (input[d] + 2 * g.padding[d] - reach) / g.stride[d] + 1;
  }
  return result;
}

bool checkOperands(KernelArgs &args, const Convolution &c) {
  int64_t groups = c.geometry.groups, rank = c.input.rank();
  bool plain = rank >= 3 && rank <= 5 && c.weight.rank() == rank && groups > 0 && computable(c.input.dtype()) &&
               !isComplex(c.input.dtype()) && c.input.dtype() == c.weight.dtype();
  bool fits = plain && c.weight.size(0) % groups == 0 &&
              c.input.size(1) == (c.transposed ? c.weight.size(0) : c.weight.size(1) * groups);
  return args.check(fits, "got input " + typeOf(c.input) + " and weight " + typeOf(c.weight) + " in " +
                              llvm::Twine(groups) + " groups, expected [N, C, ...] and channels that match") &&
         !args.failed();
}

void readGeometry(KernelArgs &args, const Form &form, Convolution &c) {
  auto rank = static_cast<size_t>(std::max<int64_t>(c.input.rank(), 3) - 2);
  Geometry &g = c.geometry;
  bool named = args.at(form.padding).is(Value::Kind::String);
  g.stride = extentOf(args, form.stride, rank, 1);
  g.padding = named ? Extent{} : extentOf(args, form.padding, rank, 0);
  g.dilation = extentOf(args, form.dilation, rank, 1);
  g.outputPadding = extentOf(args, form.outputPadding, rank, 0);
  g.kernel = planeOf(c.weight.sizes());
  for (size_t d = 0; d < 3; ++d)
    args.check(g.stride[d] > 0 && g.dilation[d] > 0, "got a stride or dilation below 1");
  bool same = named && args.text(form.padding, "valid") == "same";
  if (same)
    g.padding = samePadding(g);
  if (args.failed())
    return;
  Extent in = planeOf(c.input.sizes()), out = outputPlane(g, in, c.transposed, same);
  g.small = c.transposed ? in : out;
  g.large = c.transposed ? out : in;
  g.batch = c.input.size(0);
  g.smallChannels = c.weight.size(0) / g.groups;
  g.largeChannels = c.weight.size(1);
  c.outputSizes = {g.batch, c.transposed ? c.weight.size(1) * g.groups : c.weight.size(0)};
  c.outputSizes.append(out.end() - rank, out.end());
  args.check(llvm::all_of(c.outputSizes, [](int64_t n) { return n >= 0; }), "got a kernel larger than its input");
}

Convolution convolutionOf(KernelArgs &args, const Form &form) {
  Convolution c;
  c.input = args.tensor(form.input);
  c.weight = args.tensor(form.input + 1);
  c.transposed = form.transposed != noArgument && args.boolean(form.transposed, false);
  c.geometry.groups = args.integer(form.groups, 1);
  if (checkOperands(args, c))
    readGeometry(args, form, c);
  return c;
}

/// Every channel starts as its bias.
Values biased(KernelArgs &args, const Convolution &c, unsigned biasIndex) {
  Values result(static_cast<size_t>(productOf(c.outputSizes)));
  std::optional<Tensor> bias = args.optionalTensor(biasIndex);
  int64_t channels = c.outputSizes[1], plane = productOf(IntListRef(c.outputSizes).drop_front(2));
  if (args.failed() || !bias ||
      !args.check(bias->numElements() == channels, "got bias " + typeOf(*bias) + " for " + llvm::Twine(channels)))
    return result;
  Values start = readAll(*bias);
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = start[i / static_cast<size_t>(plane) % start.size()];
  return result;
}

Value run(KernelArgs &args, const Convolution &c, const Form &form) {
  if (args.failed())
    return {};
  Values out = biased(args, c, form.bias);
  Values in = readAll(c.input), weight = readAll(c.weight);
  if (args.failed())
    return {};
  (c.transposed ? out : in).push_back(0);
  if (c.transposed)
    forEachProduct(c.geometry, [&](size_t s, size_t w, size_t l) { out[l] += weight[w] * in[s]; });
  else
    forEachProduct(c.geometry, [&](size_t s, size_t w, size_t l) { out[s] += weight[w] * in[l]; });
  if (c.transposed)
    out.pop_back();
  return likeAny(out, c.input.dtype(), c.outputSizes, {c.input, c.weight});
}

constexpr Form coreForm{.transposed = 6, .outputPadding = 7, .groups = 8};
Value convolution(KernelArgs &args) { return run(args, convolutionOf(args, coreForm), coreForm); }

/// conv1d and its kind also take one sample without a batch.
template <int64_t rank, bool isTransposed>
Value composite(KernelArgs &args) {
  // (input, weight, bias, stride, padding, dilation, groups), or output_padding and groups before dilation.
  constexpr Form form = isTransposed ? Form{.dilation = 7, .outputPadding = 5, .groups = 6} : Form{};
  Convolution c;
  c.input = args.tensor(0);
  c.weight = args.tensor(1);
  c.transposed = isTransposed;
  c.geometry.groups = args.integer(form.groups, 1);
  bool lone = c.input.rank() == rank + 1;
  if (lone)
    c.input = c.input.unsqueeze(0);
  if (checkOperands(args, c))
    readGeometry(args, form, c);
  Value result = run(args, c, form);
  return lone && !args.failed() ? Value(result.tensor().squeeze(0)) : result;
}

/// The sum of everything in a channel.
Values channelSums(const Values &values, int64_t channels, int64_t plane) {
  Values sums(static_cast<size_t>(channels));
  for (size_t i = 0; i < values.size(); ++i)
    sums[i / static_cast<size_t>(plane) % sums.size()] += values[i];
  return sums;
}

/// Element `i` of the last argument, output_mask.
bool wants(KernelArgs &args, size_t i) {
  const Value &mask = args.at(10);
  return !mask.is(Value::Kind::List) || i >= mask.list().size() || !mask.list()[i].is(Value::Kind::Bool) ||
         mask.list()[i].boolean();
}

/// (grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask)
Value convolutionBackward(KernelArgs &args) {
  constexpr Form form{1, noArgument, 4, 5, 6, 7, 8, 9};
  Convolution c = convolutionOf(args, form);
  const Tensor &grad = args.tensor(0);
  if (args.failed() || !args.check(grad.sizes() == IntListRef(c.outputSizes),
                                   "got grad_output " + typeOf(grad) + ", expected " + dimsOf(c.outputSizes)))
    return {};
  Values in = readAll(c.input), weight = readAll(c.weight), out = readAll(grad);
  int64_t channels = c.outputSizes[1], plane = productOf(IntListRef(c.outputSizes).drop_front(2));
  Values biasGrad = channelSums(out, channels, plane);
  (c.transposed ? out : in).push_back(0);
  Values inGrad(in.size()), weightGrad(weight.size());
  const Values &small = c.transposed ? in : out, &large = c.transposed ? out : in;
  forEachProduct(c.geometry, [&](size_t s, size_t w, size_t l) {
    weightGrad[w] += small[s] * large[l];
    inGrad[c.transposed ? s : l] += weight[w] * (c.transposed ? large[l] : small[s]);
  });
  inGrad.resize(static_cast<size_t>(c.input.numElements()));
  DType dtype = c.input.dtype();
  const Tensor likes[] = {c.input, c.weight};
  return Value::list({wants(args, 0) ? Value(likeAny(inGrad, dtype, c.input.sizes(), likes)) : Value(),
                      wants(args, 1) ? Value(likeAny(weightGrad, dtype, c.weight.sizes(), likes)) : Value(),
                      wants(args, 2) ? Value(tensorOf(biasGrad, dtype, {channels})) : Value()});
}

constexpr llvm::StringLiteral plainNames = "input,weight,bias,stride,padding,dilation,groups";
constexpr llvm::StringLiteral transposedNames = "input,weight,bias,stride,padding,output_padding,groups,dilation";

const Kernel convolutionTable[] = {
    {"aten.conv1d.default", plainNames, composite<1, false>},
    {"aten.conv1d.padding", plainNames, composite<1, false>},
    {"aten.conv2d.default", plainNames, composite<2, false>},
    {"aten.conv2d.padding", plainNames, composite<2, false>},
    {"aten.conv3d.default", plainNames, composite<3, false>},
    {"aten.conv3d.padding", plainNames, composite<3, false>},
    {"aten.conv_transpose1d.default", transposedNames, composite<1, true>},
    {"aten.conv_transpose2d.input", transposedNames, composite<2, true>},
    {"aten.conv_transpose3d.input", transposedNames, composite<3, true>},
    {"aten.convolution.default", "input,weight,bias,stride,padding,dilation,transposed,output_padding,groups",
     convolution},
    {"aten.convolution_backward.default",
     "grad_output,input,weight,bias_sizes,stride,padding,dilation,transposed,output_padding,groups,output_mask",
     convolutionBackward},
};

} // namespace

llvm::ArrayRef<Kernel> convolutionKernels() { return convolutionTable; }

} // namespace ccgraph::runtime
