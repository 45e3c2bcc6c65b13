#include "ccgraph/tracer/gradient_hooks.h"

#include "ccgraph/ir/strides.h"
#include "ccgraph/tracer/ops.h"
#include "tracer/data_parallel/reduction.h"
#include "tracer/mode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

namespace ccgraph::tracer {

using detail::divided;
using detail::padded;
using detail::problem;
using detail::sumOverRanks;

namespace {

std::string where(const GradBucket &bucket) { return "bucket " + std::to_string(bucket.index); }

Tensor resultOf(const HookResult &result, const GradBucket &bucket) {
  if (const auto *tensor = std::get_if<Tensor>(&result))
    return *tensor;
  const auto &list = std::get<TensorList>(result);
  if (const Diagnostic *error = list.error())
    return Tensor::failed(*error);
  if (list.size() == 0)
    return detail::fail(problem("hook.result", where(bucket), "the hook returned an empty list, expected a tensor",
                                "return the reduced buffer, or a list that begins with it"));
  return list[0];
}

} // namespace

std::vector<int64_t> memoryOrder(const Tensor &tensor) {
  std::vector<int64_t> sizes = tensor.sizes(), strides = tensor.strides();
  if (tensor.isContiguous() || !isDense(sizes, strides))
    return {};
  std::vector<int64_t> order(sizes.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  llvm::stable_sort(
      order, [&](int64_t a, int64_t b) { return strides[static_cast<size_t>(a)] > strides[static_cast<size_t>(b)]; });
  return order;
}

/// Returns a view of a row of elements that has this shape, and these dimensions in the order of memory.
static Tensor viewOf(const Tensor &row, const std::vector<int64_t> &shape, const std::vector<int64_t> &order) {
  if (order.empty())
    return view(row, shape);
  std::vector<int64_t> inMemory, inverse(order.size());
  for (size_t i = 0; i != order.size(); ++i) {
    inMemory.push_back(shape[static_cast<size_t>(order[i])]);
    inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  return call("aten.permute.default", {view(row, inMemory), inverse});
}

std::vector<Tensor> GradBucket::viewsOf(const Tensor &flat) const {
  std::vector<Tensor> views;
  for (size_t i = 0; i != slices.size(); ++i) {
    BucketSlice at = slices[i];
    bool whole = slices.size() == 1;
    views.push_back(viewOf(whole ? flat : slice(flat, 0, at.offset, at.offset + at.length), shapes[i],
                           i < orders.size() ? orders[i] : std::vector<int64_t>()));
  }
  return views;
}

Tensor runHook(const CommHook &hook, const GradBucket &bucket) {
  if (!hook)
    return meanWithoutHook(bucket);
  Tensor result = resultOf(hook(bucket), bucket);
  if (result.error())
    return result;
  if (result.isAbsent())
    return detail::fail(problem("hook.result", where(bucket),
                                "the hook returned no tensor, expected the reduced buffer",
                                "return the reduced buffer, or a list that begins with it"));
  if (result.numel() != bucket.buffer.numel())
    return detail::fail(problem("hook.result", where(bucket),
                                "the hook returned " + result.typeText() + ", expected " +
                                    std::to_string(bucket.buffer.numel()) + " elements as in the bucket " +
                                    bucket.buffer.typeText(),
                                "return a tensor of the bucket's number of elements"));
  Tensor converted = to(result, bucket.buffer.dtype());
  return converted.dim() == 1 ? converted : reshape(converted, {-1});
}

// --- Means -----------------------------------------------------------------------------------------------------------

Tensor meanWithoutHook(const GradBucket &bucket) {
  double factor = 1.0 / static_cast<double>(bucket.divisor);
  return sumOverRanks(bucket.divisor == 1 ? bucket.buffer : bucket.buffer * factor, bucket);
}

Tensor allReduceHook(const GradBucket &bucket) { return sumOverRanks(divided(bucket.buffer, bucket), bucket); }

namespace {

Tensor compressed(const GradBucket &bucket, DType dtype) {
  GradBucket narrow = bucket;
  narrow.buffer = to(bucket.buffer, dtype);
  return to(allReduceHook(narrow), bucket.buffer.dtype());
}

CommHook wrapped(CommHook inner, DType dtype) {
  return [inner = std::move(inner), dtype](const GradBucket &bucket) -> HookResult {
    GradBucket narrow = bucket;
    narrow.buffer = to(bucket.buffer, dtype);
    return to(runHook(inner, narrow), bucket.buffer.dtype());
  };
}

} // namespace

Tensor fp16CompressHook(const GradBucket &bucket) { return compressed(bucket, DType::F16); }
Tensor bf16CompressHook(const GradBucket &bucket) { return compressed(bucket, DType::BF16); }
CommHook fp16CompressWrapper(CommHook inner) { return wrapped(std::move(inner), DType::F16); }
CommHook bf16CompressWrapper(CommHook inner) { return wrapped(std::move(inner), DType::BF16); }

CommHook postLocalSgdHook(const PostLocalSgdOptions &options) {
  return [options](const GradBucket &bucket) -> HookResult {
    if (options.iteration < options.startIteration)
      return allReduceHook(bucket);
    if (options.subgroup.empty())
      return bucket.buffer;
    llvm::Expected<ExpandedGroup> group = expandGroup(options.subgroup);
    if (!group)
      return detail::fail(detail::firstOf(group.takeError()));
    GradBucket local = bucket;
    local.group = group->name;
    local.ranks = local.divisor = group->size;
    return allReduceHook(local);
  };
}

// --- Quantization ----------------------------------------------------------------------------------------------------

namespace {

constexpr double largestByte = 255;
/// The least scale, so that a tensor of zeros has one: the epsilon of f32, as in PyTorch's observers.
constexpr double leastScale = 1.1920928955078125e-07;

/// f32[rows, n] as bytes, with a scale and a zero point for each row: f32[rows, 1] each.
struct Quantized {
  Tensor bytes;
  Tensor scale;
  Tensor zeroPoint;
};

// The range includes zero, so that zero is represented exactly.
Quantized quantize(const Tensor &rows) {
  Tensor least = clamp(amin(rows, {1}, true), std::nullopt, 0.0), largest = clamp(amax(rows, {1}, true), 0.0);
  Tensor scale = clamp((largest - least) / largestByte, leastScale);
  Tensor zeroPoint = clamp(-call("aten.round.default", {least / scale}), 0.0, largestByte);
  Tensor levels = clamp(call("aten.round.default", {rows / scale}) + zeroPoint, 0.0, largestByte);
  return {to(levels, DType::U8), scale, zeroPoint};
}

/// Returns the mean over the ranks of rows, which are sent as bytes.
Tensor quantizedMean(const Tensor &rows, const GradBucket &bucket) {
  Quantized own = quantize(rows);
  int64_t count = rows.size(0), elements = rows.size(1), ranks = bucket.ranks;
  Tensor parameters = collectives::all_gather_tensor(cat({own.scale, own.zeroPoint}, 1), 0, bucket.group);
  Tensor bytes = collectives::all_gather_tensor(own.bytes, 0, bucket.group);
  Tensor scale = slice(parameters, 1, 0, 1), zeroPoint = slice(parameters, 1, 1, 2);
  Tensor values = (to(bytes, DType::F32) - zeroPoint) * scale;
  return divided(sum(view(values, {ranks, count, elements}), {0}), bucket);
}

} // namespace

Tensor quantizePerTensorHook(const GradBucket &bucket) {
  return reshape(quantizedMean(view(bucket.buffer, {1, bucket.buffer.numel()}), bucket), {-1});
}

CommHook quantizePerChannelHook(int64_t rowSize) {
  return [rowSize](const GradBucket &bucket) -> HookResult {
    if (rowSize < 1)
      return detail::fail(problem("hook.row-size", where(bucket),
                                  "got rows of " + std::to_string(rowSize) + " elements, expected 1 or more"));
    int64_t elements = bucket.buffer.numel(), rows = elements / rowSize + 1;
    Tensor matrix = view(padded(bucket.buffer, rows * rowSize), {rows, rowSize});
    return slice(reshape(quantizedMean(matrix, bucket), {-1}), 0, 0, elements);
  };
}

// --- Sharded optimizer -----------------------------------------------------------------------------------------------

CommHook shardedOptimizerHook(ShardUpdate update) {
  return [update = std::move(update)](const GradBucket &bucket) -> HookResult {
    int64_t elements = bucket.buffer.numel(), share = (elements + bucket.ranks - 1) / bucket.ranks;
    Tensor mean = divided(padded(bucket.buffer, share * bucket.ranks), bucket);
    Tensor shard = update(bucket, collectives::reduce_scatter_tensor(mean, "sum", 0, bucket.group));
    if (shard.error())
      return shard;
    if (shard.isAbsent() || shard.numel() != share)
      return detail::fail(problem("hook.shard", where(bucket),
                                  "the update returned " + shard.typeText() + ", expected the shard of " +
                                      std::to_string(share) + " elements",
                                  "return this rank's shard of the new parameters"));
    return slice(collectives::all_gather_tensor(shard, 0, bucket.group), 0, 0, elements);
  };
}

// --- Names -----------------------------------------------------------------------------------------------------------

namespace {

struct NamedHook {
  llvm::StringLiteral name;
  CommHook (*make)();
};

constexpr NamedHook namedHooks[] = {
    {"allreduce", [] { return CommHook(allReduceHook); }},
    {"bf16", [] { return CommHook(bf16CompressHook); }},
    {"fp16", [] { return CommHook(fp16CompressHook); }},
    {"none", [] { return CommHook(); }},
    {"noop", [] { return CommHook([](const GradBucket &bucket) -> HookResult { return bucket.buffer; }); }},
    {"quantize-per-channel", [] { return quantizePerChannelHook(); }},
    {"quantize-per-tensor", [] { return CommHook(quantizePerTensorHook); }},
};

} // namespace

std::vector<std::string> hookNames() {
  std::vector<std::string> names;
  for (const NamedHook &hook : namedHooks)
    names.push_back(hook.name.str());
  return names;
}

llvm::Expected<CommHook> hookOfName(llvm::StringRef name) {
  for (const NamedHook &hook : namedHooks)
    if (hook.name == name)
      return hook.make();
  return makeError(problem("hook.name", "DataParallel", ("no hook '" + name + "'").str(),
                           "the hooks are " + llvm::join(hookNames(), ", ")));
}

} // namespace ccgraph::tracer
