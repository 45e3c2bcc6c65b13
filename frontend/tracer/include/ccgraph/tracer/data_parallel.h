// DataParallel: the backward pass of a step that ranks compute on different batches.
//
//   Trace trace = cantFail(Trace::begin(context, {.worldSize = 4}));
//   Tensor loss = mse_loss(model(trace.input(...)), trace.input(...));
//   DataParallel ddp(trace.parameters(), {.hook = bf16CompressHook});
//   TensorList gradients = ddp.backward(loss);         // the means over 4 ranks
//   trace.finish(sgd(trace.parameters(), gradients.tensors(), {.lr = 0.1}));
//
// It does what torch.nn.parallel.DistributedDataParallel does, in a graph. The gradients of some parameters are copied
// to the flat buffer of a bucket; the hook reduces the buffer; the results are views of it. Buckets are those of DDP
// (ccgraph/ir/gradient_buckets.h). A bucket is launched directly after the node that completes its last gradient, so
// its collective overlaps with the rest of the backward pass. Buckets are launched in the order of their indices.
//
// A graph is the step of one iteration. By default it is an iteration after the rebuild of the buckets, as all but the
// first iterations are. Gradients are ready in the order of the nodes that compute them; `readyOrder` states another
// order, for example that of another rank.
//
// Ranks that trace different programs: each rank computes its own GradientUse (useOf), and gives those of all ranks to
// DataParallel. If the parameters differ, or a rank does not use a parameter and unused parameters are not searched
// for, backward fails with [ddp.ranks-differ] or [ddp.unused], with the rank and the parameter, and nothing runs.
//
// Ownership: refers to tensors of the open trace. Failure: see tensor.h; failed lists of as many elements as there are
// parameters. Cost: a few nodes for each parameter and bucket.
#pragma once

#include "ccgraph/ir/gradient_buckets.h"
#include "ccgraph/tracer/gradient_hooks.h"
#include "ccgraph/tracer/group.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph::tracer {

namespace detail {
/// Whether this rank has a batch in this step.
enum class Batch : bool { None, Some };
} // namespace detail

/// What one rank knows of its parameters and of their gradients before the ranks agree on buckets.
struct GradientUse {
  struct Parameter {
    std::string name;
    /// "f32[10, 2][2, 1]cpu"
    std::string type;
    /// the loss depends on it
    bool used = true;
  };
  std::vector<Parameter> parameters;
  /// positions of the used parameters, in the order in which their gradients are ready
  std::vector<size_t> readyOrder;
};

struct DataParallelOptions {
  /// the ranks that compute on different batches
  GroupLike group = "0";
  /// arguments of DDP that determine the buckets
  GradientBucketOptions buckets = {};
  /// empty: meanWithoutHook
  CommHook hook = {};
  /// the iteration of this graph, from 0; empty: one after the rebuild
  std::optional<int64_t> iteration = std::nullopt;
  /// empty: the order of this trace, or of rank 0 where `ranks` is given
  std::vector<size_t> readyOrder = {};
  /// by rank of the group: what each rank knows; empty: all ranks run this graph
  std::vector<GradientUse> ranks = {};
  /// the number by which sums are divided; empty: the number of ranks
  std::optional<int64_t> divisor = std::nullopt;
};

class DataParallel {
public:
  DataParallel(std::vector<Tensor> parameters, DataParallelOptions options = {});

  /// Returns the reduced gradient of each parameter; absent where no rank uses it. `accumulated` has gradients of
  /// earlier batches of this step, which were not reduced (no_sync): they are added before the reduction. Empty: none.
  [[nodiscard]] TensorList backward(const Tensor &loss, const std::vector<Tensor> &accumulated = {});
  /// Reduces gradients that the caller has computed; absent where the loss does not depend on a parameter.
  [[nodiscard]] TensorList reduce(const std::vector<Tensor> &gradients);
  /// Records the collectives of a step of a rank that has no more batches while others do (join): it contributes zeros.
  [[nodiscard]] TensorList reduceNothing();

  /// The buckets of the last call, without their buffers, in the order of their launches.
  [[nodiscard]] const std::vector<GradBucket> &buckets() const { return buckets_; }

private:
  class Reduction;
  /// by parameter: what is added before the reduction
  [[nodiscard]] TensorList reduced(std::vector<llvm::SmallVector<Tensor, 2>> addends, detail::Batch batch);
  std::vector<Tensor> parameters_;
  DataParallelOptions options_;
  std::vector<GradBucket> buckets_;
};

/// Returns what this rank knows of its parameters: those that the loss depends on, and the order of readiness, from
/// their gradients (absent where the loss does not depend on one).
[[nodiscard]] llvm::Expected<GradientUse> useOf(const std::vector<Tensor> &parameters,
                                                const std::vector<Tensor> &gradients);

/// Returns a text for a store or another exchange between ranks: a line with the order of readiness, then a line for
/// each parameter.
[[nodiscard]] std::string gradientUseText(const GradientUse &use);
/// Inverse of gradientUseText. Fails with [ddp.use] and the line for any other text.
[[nodiscard]] llvm::Expected<GradientUse> parseGradientUse(llvm::StringRef text);

/// Sends tensors from one rank of the group to all, in buckets of one dtype and device of at least `bufferBytes`, as
/// torch.distributed's `_broadcast_coalesced` does for parameters before the first step and for buffers in each step.
/// Tensors without elements are returned as they are. `src` is a rank of the group.
[[nodiscard]] TensorList broadcastCoalesced(const std::vector<Tensor> &tensors, const GroupLike &group, int64_t src = 0,
                                            uint64_t bufferBytes = uint64_t{250} << 20);

/// The result of a synchronized batch norm, and what the caller needs to update running statistics.
struct SyncBatchNormResult {
  /// of the input's type
  Tensor output;
  /// f32[c]: over the batches of all ranks; the variance is divided by `count`
  Tensor mean;
  Tensor variance;
  /// f32[1]: number of elements of a channel on all ranks
  Tensor count;
};
/// Batch norm over the batches of all ranks: f32[n, c, ...] with weight and bias f32[c], n different on each rank. A
/// rank with an empty batch takes part in the collectives; if all batches are empty, mean and variance are 0. One
/// all_reduce of sums, sums of squares and the count; its gradient is one all_reduce. The gradients of weight and bias
/// are this rank's own, which DataParallel reduces.
[[nodiscard]] SyncBatchNormResult syncBatchNorm(const Tensor &input, const Tensor &weight, const Tensor &bias,
                                                const GroupLike &group, double eps = 1e-5);

/// Returns the sum of two lists of gradients, element by element; an absent gradient counts as zero.
[[nodiscard]] std::vector<Tensor> accumulate(const std::vector<Tensor> &gradients, const std::vector<Tensor> &more);

} // namespace ccgraph::tracer
