#include "infer/families.h"
#include "infer/symbolic_layout.h"

#include "ccgraph/ir/strides.h"

namespace ccgraph::infer {
namespace {

/// Sizes and numbers of the last dimensions; empty where one is symbolic.
std::optional<IntList> lastSizes(const Type &type, size_t rank) {
  return type.sizes().size() < rank ? std::nullopt : staticDims(type.sizes().take_back(rank));
}

/// The leading sizes of `like`, then these.
DimList withLast(const Type &like, IntListRef last) {
  DimList sizes(like.sizes().begin(), like.sizes().end() - static_cast<ptrdiff_t>(last.size()));
  sizes.append(last.begin(), last.end());
  return sizes;
}

bool hasChannelsLast(const Type &type) {
  auto sizes = staticDims(type.sizes());
  auto strides = staticDims(type.strides());
  return sizes && strides && type.stridesKnown() && (sizes->size() == 4 || sizes->size() == 5) &&
         hintsAtChannelsLast(*sizes, *strides);
}

/// A new image, channels-last where `like` is one with channels last (suggest_memory_format), else row-major.
TypePtr imageLike(const Call &call, const Type &like, DimListRef sizes) {
  auto numbers = staticDims(sizes);
  bool last = numbers && sizes.size() == like.sizes().size() && hasChannelsLast(like);
  if (!last)
    return call.contiguousLike(like, sizes);
  IntList strides = channelsLastStrides(*numbers);
  return call.context.tensor(like.dtype(), {sizes, DimList(strides.begin(), strides.end()), true}, like.device());
}

TypePtr withDType(const Call &call, const Type &type, DType dtype) {
  return call.context.tensor(dtype, {type.sizes(), type.strides(), type.stridesKnown()}, type.device());
}

/// One number for each dimension, or one for all; `otherwise` where the list is left out or empty.
std::optional<IntList> perDimension(const Call &call, llvm::StringRef name, size_t rank, IntListRef otherwise) {
  int parameter = call.index(name);
  auto given = parameter < 0 ? std::nullopt : intsAt(call.node, parameter);
  if (!call.given(name) || (given && given->empty()))
    return toIntList(otherwise);
  if (!given || (given->size() != rank && given->size() != 1))
    return std::nullopt;
  IntList result(given->begin(), given->end());
  return given->size() == 1 ? IntList(rank, result[0]) : result;
}

/// "aten.max_pool2d_with_indices" -> 2: the digit before a "d".
size_t rankInName(const Call &call) {
  llvm::StringRef name = call.node.target().str();
  for (size_t i = 0; i + 1 < name.size(); ++i)
    if (name[i] >= '1' && name[i] <= '3' && name[i + 1] == 'd')
      return static_cast<size_t>(name[i] - '0');
  return 0;
}

/// Sizes after windows slide over `in`. In the mode `ceil`, a last window begins in the input or before it.
std::optional<IntList> slidSizes(const Call &call, IntListRef in) {
  size_t rank = in.size();
  auto kernel = perDimension(call, "kernel_size", rank, {});
  auto stride = kernel ? perDimension(call, "stride", rank, *kernel) : std::nullopt;
  auto padding = perDimension(call, "padding", rank, IntList(rank, 0));
  auto dilation = perDimension(call, "dilation", rank, IntList(rank, 1));
  if (!kernel || kernel->size() != rank || !stride || !padding || !dilation)
    return std::nullopt;
  bool ceil = call.flag("ceil_mode");
  IntList result;
  for (size_t d = 0; d < rank; ++d) {
    int64_t step = (*stride)[d], free = in[d] + 2 * (*padding)[d] - (*dilation)[d] * ((*kernel)[d] - 1) - 1;
    if (step <= 0 || free < 0)
      return std::nullopt;
    int64_t count = (free + (ceil ? step - 1 : 0)) / step + 1;
    result.push_back(ceil && (count - 1) * step >= in[d] + (*padding)[d] ? count - 1 : count);
  }
  return result;
}

TypePtr pooled(const Call &call, const std::optional<IntList> &last) {
  TypePtr self = call.tensor(0);
  return self && last && last->size() <= self->sizes().size() ? imageLike(call, *self, withLast(*self, *last))
                                                              : nullptr;
}
TypePtr slidingType(const Call &call) {
  TypePtr self = call.tensor(0);
  auto in = self ? lastSizes(*self, rankInName(call)) : std::nullopt;
  return in ? pooled(call, slidSizes(call, *in)) : nullptr;
}
TypePtr adaptedType(const Call &call) { return pooled(call, perDimension(call, "output_size", rankInName(call), {})); }

/// The values, and the place of each.
TypePtr withPlaces(const Call &call, TypePtr values) {
  return values ? call.context.list({values, withDType(call, *values, DType::I64)}) : nullptr;
}

} // namespace

TypePtr poolType(Call &call) { return slidingType(call); }
TypePtr poolWithPlaces(Call &call) { return withPlaces(call, slidingType(call)); }
TypePtr adaptivePoolType(Call &call) { return adaptedType(call); }
TypePtr adaptivePoolWithPlaces(Call &call) { return withPlaces(call, adaptedType(call)); }

// The gradient of an image that the call has among its operands.
TypePtr imageBackward(Call &call) {
  TypePtr self = call.tensor("self");
  return self ? imageLike(call, *self, self->sizes()) : nullptr;
}

// By sizes, or by a list of factors, which multiply the input's sizes.
TypePtr resizedType(Call &call) {
  TypePtr self = call.tensor(0);
  size_t rank = rankInName(call);
  auto in = self ? lastSizes(*self, rank) : std::nullopt;
  if (!in)
    return nullptr;
  if (call.given("output_size"))
    return pooled(call, perDimension(call, "output_size", rank, {}));
  const Argument *factors = call.given("scale_factors");
  if (!factors || !factors->isSequence() || factors->elements().size() != rank)
    return nullptr;
  IntList out;
  for (size_t d = 0; d < rank; ++d) {
    if (!factors->elements()[d].is(Argument::Kind::Float))
      return nullptr;
    out.push_back(static_cast<int64_t>(static_cast<double>((*in)[d]) * factors->elements()[d].floating()));
  }
  return pooled(call, out);
}

TypePtr resizedBackward(Call &call) {
  TypePtr grad = call.tensor(0);
  auto sizes = dimsAt(call.node, call.index("input_size"));
  return grad && sizes ? imageLike(call, *grad, *sizes) : nullptr;
}

// padding = (before, after) of the last dimension, then of the one before it.
TypePtr edgePadType(Call &call) {
  TypePtr self = call.tensor(0);
  auto padding = intsAt(call.node, call.index("padding"));
  size_t rank = rankInName(call);
  if (!self || !padding || padding->size() != 2 * rank || self->sizes().size() < rank)
    return nullptr;
  DimList sizes(self->sizes().begin(), self->sizes().end());
  for (size_t d = 0; d < rank; ++d) {
    Dim &size = sizes[sizes.size() - 1 - d];
    size = add(call.context, size, Dim((*padding)[2 * d] + (*padding)[2 * d + 1]));
  }
  return call.contiguousLike(*self, sizes);
}

// A place for each element of [N, C, ...], with as many numbers as it has spatial dimensions.
TypePtr affineGridType(Call &call) {
  TypePtr theta = call.tensor("theta");
  auto size = dimsAt(call.node, call.index("size"));
  if (!theta || !size || size->size() < 3)
    return nullptr;
  DimList sizes = {(*size)[0]};
  sizes.append(size->begin() + 2, size->end());
  sizes.push_back(Dim(size->size() - 2));
  return call.contiguousLike(*theta, sizes);
}

// [N, C, ...] sampled at a grid [N, ..., rank].
TypePtr gridSampleType(Call &call) {
  TypePtr input = call.tensor(0);
  TypePtr grid = call.tensor(1);
  if (!input || !grid || input->sizes().size() < 3 || grid->sizes().size() != input->sizes().size())
    return nullptr;
  DimList sizes = {input->sizes()[0], input->sizes()[1]};
  sizes.append(grid->sizes().begin() + 1, grid->sizes().end() - 1);
  return call.contiguousLike(*input, sizes);
}

// Of the input, if it is requested, and of the grid.
TypePtr gridSampleBackward(Call &call) {
  TypePtr input = call.tensor("input");
  TypePtr grid = call.tensor("grid");
  const Argument *mask = call.given("output_mask");
  if (!input || !grid || !mask || !mask->isSequence() || mask->elements().empty())
    return nullptr;
  bool wanted = mask->elements()[0].is(Argument::Kind::Bool) && mask->elements()[0].boolean();
  TypePtr first = wanted ? call.contiguousLike(*input, input->sizes()) : nullptr;
  return call.context.list({first, call.contiguousLike(*grid, grid->sizes())});
}

// im2col: [N, C, H, W] -> [N, C * elements of a block, blocks].
TypePtr columnsType(Call &call) {
  TypePtr self = call.tensor(0);
  auto in = self ? lastSizes(*self, 2) : std::nullopt;
  auto kernel = perDimension(call, "kernel_size", 2, {});
  auto blocks = in && self->sizes().size() >= 3 ? slidSizes(call, *in) : std::nullopt;
  if (!blocks || !kernel)
    return nullptr;
  DimList sizes(self->sizes().begin(), self->sizes().end() - 2);
  sizes.back() = multiply(call.context, sizes.back(), Dim((*kernel)[0] * (*kernel)[1]));
  sizes.push_back(Dim((*blocks)[0] * (*blocks)[1]));
  return call.contiguousLike(*self, sizes);
}

// col2im: [N, C * elements of a block, blocks] -> [N, C, H, W].
TypePtr foldedType(Call &call) {
  TypePtr self = call.tensor(0);
  auto image = dimsAt(call.node, call.index("output_size"));
  auto kernel = perDimension(call, "kernel_size", 2, {});
  size_t rank = self ? self->sizes().size() : 0;
  if (!image || image->size() != 2 || !kernel || kernel->size() != 2 || rank < 2)
    return nullptr;
  auto channels = divideExactly(self->sizes()[rank - 2], (*kernel)[0] * (*kernel)[1]);
  if (!channels)
    return nullptr;
  DimList sizes(self->sizes().begin(), self->sizes().end() - 2);
  sizes.append({*channels, (*image)[0], (*image)[1]});
  return call.contiguousLike(*self, sizes);
}

namespace {

/// One dimension of a convolution: its size, and the numbers of the call.
struct Axis {
  int64_t in, kernel, stride, padding, dilation, outputPadding;
};
int64_t convolved(const Axis &a, bool transposed) {
  int64_t reach = a.dilation * (a.kernel - 1);
  return transposed ? (a.in - 1) * a.stride - 2 * a.padding + reach + a.outputPadding + 1
                    : (a.in + 2 * a.padding - reach - 1) / a.stride + 1;
}

} // namespace

// Input [N, C, ...] and weight [out, C / groups, ...], or [C, out / groups, ...] if it is transposed. The result has
// channels last if input or weight has.
TypePtr convolutionType(Call &call) {
  TypePtr input = call.tensor("input");
  TypePtr weight = call.tensor("weight");
  if (!input || !weight || input->sizes().size() != weight->sizes().size() || input->sizes().size() < 3)
    return nullptr;
  size_t rank = input->sizes().size() - 2;
  auto in = lastSizes(*input, rank), kernel = lastSizes(*weight, rank);
  auto stride = perDimension(call, "stride", rank, IntList(rank, 1));
  auto padding = perDimension(call, "padding", rank, IntList(rank, 0));
  auto dilation = perDimension(call, "dilation", rank, IntList(rank, 1));
  auto more = perDimension(call, "output_padding", rank, IntList(rank, 0));
  auto groups = call.integer("groups");
  if (!in || !kernel || !stride || !padding || !dilation || !more || !groups)
    return nullptr;
  bool transposed = call.flag("transposed");
  DimList sizes = {input->sizes()[0],
                   transposed ? multiply(call.context, weight->sizes()[1], Dim(*groups)) : weight->sizes()[0]};
  for (size_t d = 0; d < rank; ++d) {
    if ((*stride)[d] <= 0)
      return nullptr;
    Axis axis{(*in)[d], (*kernel)[d], (*stride)[d], (*padding)[d], (*dilation)[d], (*more)[d]};
    sizes.push_back(Dim(convolved(axis, transposed)));
  }
  const Type &like = hasChannelsLast(*weight) && rank == 2 ? *weight : *input;
  TypePtr result = imageLike(call, like, sizes);
  return withDType(call,
                   *call.context.tensor(input->dtype(), {result->sizes(), result->strides(), true}, input->device()),
                   input->dtype());
}

// Gradients of input, weight and bias; those that the mask leaves out are none.
TypePtr convolutionBackward(Call &call) {
  TypePtr grad = call.tensor(0);
  TypePtr input = call.tensor("input");
  TypePtr weight = call.tensor("weight");
  const Argument *mask = call.given("output_mask");
  auto bias = dimsAt(call.node, call.index("bias_sizes"));
  if (!grad || !input || !weight || !mask || !mask->isSequence() || mask->elements().size() != 3)
    return nullptr;
  auto wants = [&](size_t i) { return mask->elements()[i].is(Argument::Kind::Bool) && mask->elements()[i].boolean(); };
  bool last = hasChannelsLast(*input) || hasChannelsLast(*weight);
  auto like = [&](const Type &type) {
    return imageLike(call, last && hasChannelsLast(*input) ? *input : last ? *weight : type, type.sizes());
  };
  TypePtr ofBias = nullptr;
  if (wants(2) && bias)
    ofBias = call.contiguousLike(*grad, *bias);
  return call.context.list({wants(0) ? like(*input) : nullptr, wants(1) ? like(*weight) : nullptr, ofBias});
}

/// Statistics of narrow floats are f32, but on the CPU, where they have the input's dtype.
static DType statisticDType(const Type &input) {
  bool narrow = input.dtype() == DType::BF16 || input.dtype() == DType::F16;
  return narrow && input.device().kind.str() != "cpu" ? DType::F32 : input.dtype();
}

// Batch norms: the result, and the statistics of each channel.
TypePtr batchNormForward(Call &call) {
  TypePtr input = call.tensor("input");
  if (!input || input->sizes().size() < 2)
    return nullptr;
  bool inference = call.node.target().str().contains("no_training");
  const Argument *training = call.given("training");
  if (!inference && training && !training->is(Argument::Kind::Bool))
    return nullptr;
  bool learns = !inference && (!training || training->boolean());
  DType dtype = statisticDType(*input);
  TypePtr statistic = call.contiguous(dtype, {learns ? input->sizes()[1] : Dim(0)}, input->device());
  return call.context.list({imageLike(call, *input, input->sizes()), statistic, statistic});
}

// The same, with the group's statistics of each sample.
TypePtr groupNormForward(Call &call) {
  TypePtr input = call.tensor("input");
  auto samples = call.dim("N"), groups = call.dim("group");
  if (!input || !samples || !groups)
    return nullptr;
  DType dtype = statisticDType(*input);
  TypePtr statistic = call.contiguous(dtype, {*samples, *groups}, input->device());
  return call.context.list({imageLike(call, *input, input->sizes()), statistic, statistic});
}

// Gradients of input, weight and bias, for both.
TypePtr channelNormBackward(Call &call) {
  TypePtr input = call.tensor("input");
  TypePtr weight = call.tensor("weight");
  const Argument *mask = call.given("output_mask");
  if (!input || input->sizes().size() < 2 || !mask || !mask->isSequence() || mask->elements().size() != 3)
    return nullptr;
  auto wants = [&](size_t i) { return mask->elements()[i].is(Argument::Kind::Bool) && mask->elements()[i].boolean(); };
  TypePtr channels =
      weight ? call.contiguousLike(*weight, weight->sizes()) : call.contiguousLike(*input, {input->sizes()[1]});
  return call.context.list({wants(0) ? imageLike(call, *input, input->sizes()) : nullptr, wants(1) ? channels : nullptr,
                            wants(2) ? channels : nullptr});
}

// [C f f, H, W] -> [C, H f, W f], and back.
TypePtr pixelShuffleType(Call &call) {
  TypePtr self = call.tensor(0);
  auto sizes = self && self->sizes().size() >= 3 ? lastSizes(*self, 3) : std::nullopt;
  auto up = call.integer("upscale_factor"), down = call.integer("downscale_factor");
  int64_t f = up ? *up : down ? *down : 0;
  if (!sizes || f <= 0)
    return nullptr;
  IntList last = up ? IntList{(*sizes)[0] / (f * f), (*sizes)[1] * f, (*sizes)[2] * f}
                    : IntList{(*sizes)[0] * f * f, (*sizes)[1] / f, (*sizes)[2] / f};
  return imageLike(call, *self, withLast(*self, last));
}

} // namespace ccgraph::infer
