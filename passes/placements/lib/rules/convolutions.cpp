#include "rules/contraction.h"
#include "rules/ranges.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::placements {
namespace {

/// Returns the first dimensions, batch and channels, of a tensor whose further dimensions are windows or positions.
/// An axis that cuts a further one varies: whether a rank has the borders of the other parts, placements do not tell.
Held leadingDims(const PlacedCall &call, const Held &held, size_t count) {
  Held result = held;
  for (size_t axis = 0; axis != held.axes.size(); ++axis)
    if (std::optional<size_t> cut = held.dimOf(axis); cut && *cut >= count)
      result.settle(axis, varyingSince(call.node()));
  if (result.dims.size() > count)
    result.dims.truncate(count);
  return result;
}

/// Returns the result with the sizes of element `element` of the call after its first dimensions.
Held withWindows(PlacedCall &call, Held leading, size_t element) {
  std::optional<IntList> sizes = call.resultSizes(element);
  for (size_t dim = leading.dims.size(); sizes && dim < sizes->size(); ++dim)
    leading.dims.push_back({call.maker().local((*sizes)[dim])});
  leading.isUniform = leading.isZero = false;
  return leading;
}

/// The letters of a convolution: n is the batch, i and o are channels. In a depthwise one they are the same.
struct Channels {
  std::string input = "ni", weight = "oi", output = "no";
};

/// Returns the letters; empty if the groups are neither one nor one for each channel.
std::optional<Channels> channelsOf(const PlacedCall &call, const Held &weight, int transposed, size_t groups) {
  const int64_t count = call.integer(groups).value_or(1);
  if (count == 1)
    return transposed >= 0 && call.flag(static_cast<size_t>(transposed)) ? Channels{"ni", "io", "no"} : Channels{};
  if (weight.dims.size() < 2 || weight.localSize(0) != count || weight.localSize(1) != 1)
    return std::nullopt;
  return Channels{"ni", "i", "ni"};
}

/// Returns whether the convolution has a batch.
bool hasBatch(const Held &tensor, const Held &weight) { return tensor.dims.size() == weight.dims.size(); }

/// Where a convolution has the number of its groups, and whether it is transposed; -1: it never is.
struct ConvolutionPlaces {
  int transposed = 6;
  size_t groups = 8;
};
Held placeConvolution(PlacedCall &call, ConvolutionPlaces places) {
  HeldOperand x = call.operand(0), w = call.operand(1), bias = call.operand(2);
  if (!x.held || !w.held || !hasBatch(*x.held, *w.held) || w.held->dims.size() < 3)
    return undecidedBecause(call, "a convolution without batch");
  std::optional<Channels> channels = channelsOf(call, *w.held, places.transposed, places.groups);
  if (!channels)
    return undecidedBecause(call, "groups of several channels");
  const Held input = leadingDims(call, *x.held, 2), weight = leadingDims(call, *w.held, channels->weight.size());
  Held output = placeContraction(call, {{&input, x.node}, channels->input}, {{&weight, w.node}, channels->weight},
                                 channels->output);
  if (!bias.held)
    return withWindows(call, std::move(output), 0);
  Elementwise sum;
  sum.operands = {{{&output, &call.node()}, 'a'}, {bias, 'a'}};
  sum.sizes = {output.localSize(0), output.localSize(1)};
  return withWindows(call, placeElementwise(call, sum), 0);
}

/// convolution(x, w, bias, stride, padding, dilation, transposed, output_padding, groups).
Held placeConvolution(PlacedCall &call) { return placeConvolution(call, {}); }
/// conv2d(x, w, bias, stride, padding, dilation, groups).
Held placeNamedConvolution(PlacedCall &call) { return placeConvolution(call, {-1, 6}); }

/// Returns whether the call computes gradient `i`. A product that is not computed is no finding.
bool isWanted(const PlacedCall &call, size_t i) {
  const Argument *mask = call.argument(10);
  if (!mask || !mask->isSequence() || mask->elements().size() <= i)
    return true;
  const Argument &wanted = *(mask->elements().begin() + i);
  return !wanted.is(Argument::Kind::Bool) || wanted.boolean();
}

/// convolution_backward(grad, x, w, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, mask)
/// -> dx, dw, dbias.
Held placeConvolutionBackward(PlacedCall &call) {
  HeldOperand grad = call.operand(0), x = call.operand(1), w = call.operand(2);
  if (!grad.held || !x.held || !w.held || !hasBatch(*x.held, *w.held) || w.held->dims.size() < 3)
    return undecidedBecause(call, "a convolution without batch");
  std::optional<Channels> channels = channelsOf(call, *w.held, 7, 9);
  if (!channels)
    return undecidedBecause(call, "groups of several channels");
  const Held gradient = leadingDims(call, *grad.held, 2), input = leadingDims(call, *x.held, 2),
             weight = leadingDims(call, *w.held, channels->weight.size());
  const Lettered g{{&gradient, grad.node}, channels->output};
  Held result;
  result.axes.resize(call.numAxes());
  const Held none = call.undecided();
  result.elements = {
      isWanted(call, 0)
          ? withWindows(call, placeContraction(call, g, {{&weight, w.node}, channels->weight}, channels->input), 0)
          : none,
      isWanted(call, 1)
          ? withWindows(call, placeContraction(call, g, {{&input, x.node}, channels->input}, channels->weight), 1)
          : none,
      isWanted(call, 2) ? placeSumTo(call, *grad.held, {1}) : none};
  return result;
}

/// Pools and interpolations: a function of windows, elementwise in batch and channels. `linear`: a sum of partial sums
/// stays one.
Held placeWindows(PlacedCall &call, bool isLinear) {
  HeldOperand input = call.operand(0);
  std::optional<IntList> sizes = call.resultSizes();
  if (!input.held || !sizes || input.held->dims.size() < 3)
    return undecidedBecause(call, "a window without batch");
  Held leading = leadingDims(call, *input.held, 2);
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (leading.has(axis, HoldKind::Partial) && !isLinear)
      leading.settle(axis, nonlinearHold(call, axis, input));
  return withWindows(call, std::move(leading), 0);
}

Held placeLinearWindows(PlacedCall &call) { return placeWindows(call, true); }

Held placeMaximaOfWindows(PlacedCall &call) { return placeWindows(call, false); }

/// max_pool2d_with_indices(x, ..) -> values, indices.
Held placeMaxWindows(PlacedCall &call) {
  const Held windows = placeWindows(call, false);
  return listOfTwo(windows, windows);
}

/// The gradient of windows is linear in the gradient, which has the batch and channels of the input.
Held placeWindowsBackward(PlacedCall &call) { return placeWindows(call, true); }

constexpr PlacementRuleEntry convolutionRows[] = {
    {"aten.avg_pool2d", placeLinearWindows},
    {"aten.avg_pool2d_backward", placeWindowsBackward},
    {"aten.conv1d", placeNamedConvolution},
    {"aten.conv2d", placeNamedConvolution},
    {"aten.conv3d", placeNamedConvolution},
    {"aten.convolution", placeConvolution},
    {"aten.convolution_backward", placeConvolutionBackward},
    {"aten.max_pool2d", placeMaximaOfWindows},
    {"aten.max_pool2d_with_indices", placeMaxWindows},
    {"aten.max_pool2d_with_indices_backward", placeWindowsBackward},
    {"aten.upsample_bilinear2d", placeLinearWindows},
    {"aten.upsample_bilinear2d_backward", placeWindowsBackward},
    {"aten.upsample_nearest2d", placeLinearWindows},
    {"aten.upsample_nearest2d_backward", placeWindowsBackward},
};

} // namespace

llvm::ArrayRef<PlacementRuleEntry> convolutionPlacements() { return convolutionRows; }

} // namespace ccgraph::placements
