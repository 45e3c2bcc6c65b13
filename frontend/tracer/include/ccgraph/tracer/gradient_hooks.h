// Gradient hooks: what a data-parallel step does with a bucket of gradients.
//
//   CommHook halve = [](const GradBucket &bucket) { return bf16CompressHook(bucket); };
//   DataParallel ddp(parameters, {.hook = halve});
//
// A hook is a function that records nodes: it receives a bucket, whose buffer contains this rank's gradients, and
// returns the buffer that replaces it. So the collectives of a hook are optimized, proved and planned like all others.
// The hooks below compute what the hooks of torch.distributed.algorithms.ddp_comm_hooks compute, in the same order of
// operators: the compression hooks divide in the 16-bit dtype, for example.
//
//   none             buffer * (1 / ranks), all_reduce sum
//   allReduceHook    buffer / ranks, all_reduce sum
//   fp16CompressHook, bf16CompressHook
//                    cast, / ranks, all_reduce sum, cast back
//   fp16CompressWrapper, bf16CompressWrapper
//                    cast, the inner hook, cast back
//   quantizePerTensorHook, quantizePerChannelHook
//                    8-bit integers with a scale and a zero point, all_gather, mean of the dequantized tensors
//   postLocalSgdHook allReduceHook until an iteration, then the mean of a subgroup, or this rank's own gradients
//   shardedOptimizerHook
//                    ZeRO stage 1 (S. Rajbhandari et al., "ZeRO", 2020): reduce_scatter, a step of the optimizer on the
//                    shard, all_gather of the new parameters
//
// power_sgd.h has PowerSGD, which has state.
//
// A hook records its nodes in the middle of the backward pass, so it may only use tensors that were recorded before the
// backward pass, inputs, and the bucket.
//
// Ownership: a hook owns what it captures. Failure: see tensor.h; a hook fails by a failed tensor. Cost: recorded
// nodes, documented at each hook. n is the number of elements of the bucket, w the number of ranks.
#pragma once

#include "ccgraph/ir/gradient_buckets.h"
#include "ccgraph/tracer/tensor.h"

#include "llvm/Support/Error.h"

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace ccgraph::tracer {

/// The gradients of some parameters in one flat buffer, without padding.
struct GradBucket {
  /// position in the order of launches
  size_t index = 0;
  /// the bucket that is launched last
  bool isLast = false;
  /// f32[n]: the gradients, one after the other, each in the order of its parameter's memory
  Tensor buffer;
  /// positions of the parameters in the list that DataParallel was given
  std::vector<size_t> parameters;
  /// by parameter of the bucket
  std::vector<BucketSlice> slices;
  std::vector<std::vector<int64_t>> shapes;
  /// by parameter of the bucket: its dimensions in the order of its memory, the outermost first; empty: row-major, also
  /// where the elements of the parameter do not fill its memory. As in c10d, a gradient has the strides of its
  /// parameter.
  std::vector<std::vector<int64_t>> orders = {};
  /// the group that reduces the bucket
  std::string group;
  /// number of its ranks
  int64_t ranks = 1;
  /// the number by which sums are divided: `ranks`, unless fewer ranks have a batch (uneven inputs)
  int64_t divisor = 1;

  /// Returns the gradients as views of the buffer.
  [[nodiscard]] std::vector<Tensor> gradients() const { return viewsOf(buffer); }
  /// Returns the views of another buffer of this layout.
  [[nodiscard]] std::vector<Tensor> viewsOf(const Tensor &flat) const;
};

/// Returns the dimensions of a dense tensor in the order of its memory, the outermost first; empty if it is row-major
/// or not dense. For f32[2, 3, 4][12, 1, 3], which a channels-last convolution has: 0, 2, 1.
[[nodiscard]] std::vector<int64_t> memoryOrder(const Tensor &tensor);

/// The result of a hook: a tensor of as many elements as the buffer, of any shape and dtype, or a list of which the
/// first tensor counts.
using HookResult = std::variant<Tensor, TensorList>;
using CommHook = std::function<HookResult(const GradBucket &bucket)>;

/// Returns the buffer that a hook yields for the bucket, converted to the dtype of the bucket and flat. Fails with
/// [hook.result] if the result is absent, an empty list, or a tensor with another number of elements.
[[nodiscard]] Tensor runHook(const CommHook &hook, const GradBucket &bucket);

/// The mean over the ranks, as DataParallel computes it without a hook: 2n(w - 1)/w elements on the wire.
[[nodiscard]] Tensor meanWithoutHook(const GradBucket &bucket);
/// The mean over the ranks: the buffer is divided before it is summed.
[[nodiscard]] Tensor allReduceHook(const GradBucket &bucket);
/// allReduceHook in 16 bits: half the bytes of f32. The result has a relative error of about 2^-11 for each addend, and
/// sums beyond 65,504 become infinite.
[[nodiscard]] Tensor fp16CompressHook(const GradBucket &bucket);
/// The same with the range of f32 and a relative error of about 2^-8.
[[nodiscard]] Tensor bf16CompressHook(const GradBucket &bucket);
/// Casts the bucket to 16 bits, runs the inner hook on it, and casts the result back.
[[nodiscard]] CommHook fp16CompressWrapper(CommHook inner);
[[nodiscard]] CommHook bf16CompressWrapper(CommHook inner);

/// Sends one byte an element, and one scale and zero point a bucket. The error of an element is at most half a scale,
/// which is (max(0, largest) - min(0, least)) / 255.
[[nodiscard]] Tensor quantizePerTensorHook(const GradBucket &bucket);
/// The same with a scale and a zero point for each row of `rowSize` elements. The last row is padded with zeros; a
/// bucket of whole rows has one row of zeros more, as in PyTorch.
[[nodiscard]] CommHook quantizePerChannelHook(int64_t rowSize = 512);

struct PostLocalSgdOptions {
  /// the first iteration, counted from 0, that reduces in the subgroup only
  int64_t startIteration = 0;
  /// the iteration of this graph
  int64_t iteration = 0;
  /// name of the subgroup; empty: gradients stay local
  std::string subgroup = "";
};
/// T. Lin et al., "Don't Use Large Mini-Batches, Use Local SGD", 2020. Parameters are averaged by the caller.
[[nodiscard]] CommHook postLocalSgdHook(const PostLocalSgdOptions &options);

/// Returns this rank's shard of the parameters of a bucket after the step, given the shard of their mean gradient,
/// f32[ceil(n / w)].
using ShardUpdate = std::function<Tensor(const GradBucket &bucket, const Tensor &gradient)>;
/// ZeRO stage 1. The hook returns the new parameters in place of gradients, so DataParallel's results are parameters.
/// Each rank stores 1/w of the optimizer's state, and the shard of the parameters is an input of the step. As many
/// elements are on the wire as for an all_reduce. n is padded with zeros to a multiple of w.
[[nodiscard]] CommHook shardedOptimizerHook(ShardUpdate update);

/// Returns the hook of a name: "none", "allreduce", "fp16", "bf16", "quantize-per-tensor", "quantize-per-channel",
/// "noop". An unknown name is a failure with [hook.name] and the known names.
[[nodiscard]] llvm::Expected<CommHook> hookOfName(llvm::StringRef name);
/// Returns the names that hookOfName accepts.
[[nodiscard]] std::vector<std::string> hookNames();

} // namespace ccgraph::tracer
