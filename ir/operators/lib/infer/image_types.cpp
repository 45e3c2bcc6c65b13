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
DimList withLast(const Type &like, DimListRef last) {
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

/// How often a window slides over one dimension: its size, and the numbers of the call.
struct Axis {
  Dim in;
  int64_t kernel, stride, padding, dilation;
  [[nodiscard]] int64_t reach() const { return dilation * (kernel - 1); }
};

/// Returns (in + 2 * padding - reach - 1) // stride + 1; empty if the window does not fit.
std::optional<Dim> slidSize(Context &context, const Axis &axis) {
  Dim free = add(context, axis.in, Dim(2 * axis.padding - axis.reach() - 1));
  if (axis.stride <= 0 || (free.isStatic() && free.value() < 0))
    return std::nullopt;
  std::optional<Dim> steps = floorDivide(context, free, axis.stride);
  return steps ? std::optional(add(context, *steps, Dim(1))) : std::nullopt;
}

/// In the mode `ceil`, a last window begins in the input or before it.
std::optional<Dim> slidSizeCeil(const Axis &axis) {
  if (!axis.in.isStatic())
    return std::nullopt;
  int64_t in = axis.in.value(), step = axis.stride, free = in + 2 * axis.padding - axis.reach() - 1;
  if (step <= 0 || free < 0)
    return std::nullopt;
  int64_t count = (free + step - 1) / step + 1;
  return Dim((count - 1) * step >= in + axis.padding ? count - 1 : count);
}

/// Sizes after windows slide over `in`.
std::optional<DimList> slidSizes(const Call &call, DimListRef in) {
  size_t rank = in.size();
  auto kernel = perDimension(call, "kernel_size", rank, {});
  auto stride = kernel ? perDimension(call, "stride", rank, *kernel) : std::nullopt;
  auto padding = perDimension(call, "padding", rank, IntList(rank, 0));
  auto dilation = perDimension(call, "dilation", rank, IntList(rank, 1));
  if (!kernel || kernel->size() != rank || !stride || !padding || !dilation)
    return std::nullopt;
  DimList result;
  for (size_t d = 0; d < rank; ++d) {
    Axis axis{in[d], (*kernel)[d], (*stride)[d], (*padding)[d], (*dilation)[d]};
    std::optional<Dim> size = call.flag("ceil_mode") ? slidSizeCeil(axis) : slidSize(call.context, axis);
    if (!size)
      return std::nullopt;
    result.push_back(*size);
  }
  return result;
}

TypePtr pooled(const Call &call, const std::optional<DimList> &last) {
  TypePtr self = call.tensor(0);
  return self && last && last->size() <= self->sizes().size() ? imageLike(call, *self, withLast(*self, *last))
                                                              : nullptr;
}
std::optional<DimList> dimsOf(const std::optional<IntList> &numbers) {
  return numbers ? std::optional(DimList(numbers->begin(), numbers->end())) : std::nullopt;
}
TypePtr slidingType(const Call &call) {
  TypePtr self = call.tensor(0);
  size_t rank = rankInName(call);
  return self && self->sizes().size() >= rank ? pooled(call, slidSizes(call, self->sizes().take_back(rank))) : nullptr;
}
TypePtr adaptedType(const Call &call) {
  return pooled(call, dimsOf(perDimension(call, "output_size", rankInName(call), {})));
}

/// The values, and the place of each.
TypePtr withPlaces(const Call &call, TypePtr values) {
  return values ? call.context.list({values, withDType(call, *values, DType::I64)}) : nullptr;
}

} // namespace

TypePtr poolType(Call &call) { return slidingType(call); }
TypePtr poolWithPlaces(Call &call) { return withPlaces(call, slidingType(call)); }
TypePtr poolWithOffsets(Call &call) {
  TypePtr self = call.tensor(0);
  auto kernel = dimsAt(call.node, 1);
  if (!self || !kernel || self->sizes().size() < kernel->size())
    return nullptr;
  TypePtr values = pooled(call, slidSizes(call, self->sizes().take_back(kernel->size())));
  return values ? call.context.list({values, withDType(call, *values, DType::I8)}) : nullptr;
}
TypePtr offsetsAsPlaces(Call &call) {
  TypePtr self = call.tensor(0);
  return self ? withDType(call, *self, DType::I64) : nullptr;
}
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
    return pooled(call, dimsOf(perDimension(call, "output_size", rank, {})));
  const Argument *factors = call.given("scale_factors");
  if (!factors || !factors->isSequence() || factors->elements().size() != rank)
    return nullptr;
  IntList out;
  for (size_t d = 0; d < rank; ++d) {
    if (!factors->elements()[d].is(Argument::Kind::Float))
      return nullptr;
    out.push_back(static_cast<int64_t>(static_cast<double>((*in)[d]) * factors->elements()[d].floating()));
  }
  return pooled(call, dimsOf(out));
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
  auto kernel = perDimension(call, "kernel_size", 2, {});
  auto blocks = self && self->sizes().size() >= 3 ? slidSizes(call, self->sizes().take_back(2)) : std::nullopt;
  if (!blocks || !kernel)
    return nullptr;
  DimList sizes(self->sizes().begin(), self->sizes().end() - 2);
  sizes.back() = multiply(call.context, sizes.back(), Dim((*kernel)[0] * (*kernel)[1]));
  sizes.push_back(multiply(call.context, (*blocks)[0], (*blocks)[1]));
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
  auto channels = divideExactly(call.context, self->sizes()[rank - 2], (*kernel)[0] * (*kernel)[1]);
  if (!channels)
    return nullptr;
  DimList sizes(self->sizes().begin(), self->sizes().end() - 2);
  sizes.append({*channels, (*image)[0], (*image)[1]});
  return call.contiguousLike(*self, sizes);
}

namespace {

/// The size of one dimension after a convolution, or before it if it is transposed.
std::optional<Dim> convolved(Context &context, const Axis &axis, int64_t outputPadding, bool transposed) {
  if (!transposed)
    return slidSize(context, axis);
  return add(context, multiply(context, axis.in, axis.stride),
             Dim(axis.reach() + outputPadding + 1 - axis.stride - 2 * axis.padding));
}

/// Of expressions, the strides are products of the sizes themselves, without Max(1, size).
TypePtr convolutionOf(const Call &call, const Type &like, DimListRef sizes) {
  if (staticDims(sizes))
    return imageLike(call, like, sizes);
  DimList strides(sizes.size());
  Dim inside(1);
  for (size_t i = sizes.size(); i-- > 0; inside = multiply(call.context, sizes[i], inside))
    strides[i] = inside;
  return call.context.tensor(like.dtype(), {sizes, strides, true}, like.device());
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
  auto kernel = lastSizes(*weight, rank);
  auto stride = perDimension(call, "stride", rank, IntList(rank, 1));
  auto padding = perDimension(call, "padding", rank, IntList(rank, 0));
  auto dilation = perDimension(call, "dilation", rank, IntList(rank, 1));
  auto more = perDimension(call, "output_padding", rank, IntList(rank, 0));
  auto groups = call.integer("groups");
  if (!kernel || !stride || !padding || !dilation || !more || !groups)
    return nullptr;
  bool transposed = call.flag("transposed");
  DimList sizes = {input->sizes()[0],
                   transposed ? multiply(call.context, weight->sizes()[1], Dim(*groups)) : weight->sizes()[0]};
  for (size_t d = 0; d < rank; ++d) {
    Axis axis{input->sizes()[d + 2], (*kernel)[d], (*stride)[d], (*padding)[d], (*dilation)[d]};
    auto size = (*stride)[d] > 0 ? convolved(call.context, axis, (*more)[d], transposed) : std::nullopt;
    if (!size)
      return nullptr;
    sizes.push_back(*size);
  }
  const Type &like = hasChannelsLast(*weight) && rank == 2 ? *weight : *input;
  TypePtr result = convolutionOf(call, like, sizes);
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
  return imageLike(call, *self, withLast(*self, DimList(last.begin(), last.end())));
}

} // namespace ccgraph::infer
