#include "models/bucketed_gradients.h"

#include "models/refusal.h"

#include "ccgraph/tracer/data_parallel.h"
#include "ccgraph/tracer/ops.h"
#include "ccgraph/tracer/optimizers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

namespace {

constexpr llvm::StringLiteral powerSgd = "powersgd", batchedPowerSgd = "batched-powersgd";

/// An iteration in which PowerSGD compresses, with the state of the iteration before.
constexpr int64_t firstCompressed = 10, steadyIteration = 100;

} // namespace

std::vector<std::string> stepHooks() {
  std::vector<std::string> names = hookNames();
  names.insert(names.end(), {powerSgd.str(), batchedPowerSgd.str()});
  llvm::sort(names);
  return names;
}

llvm::Error checkHook(const GenerateRequest &request) {
  llvm::StringRef flag = request.shardsOptimizer ? "--zero 1" : "--hook";
  if (request.hook.empty() && !request.shardsOptimizer)
    return llvm::Error::success();
  if (request.parallel.replicas < 2)
    return refusal("gen.hook", request.model.name,
                   (flag + " with " + llvm::Twine(request.parallel.replicas) + " replica, expected 2 or more").str(),
                   "state the replicas by --ddp N or --hsdp RxS");
  if (request.shardsOptimizer && !request.hook.empty())
    return refusal("gen.hook", request.model.name, "--zero 1 with --hook, expected one of them",
                   "a sharded optimizer reduces buckets by a reduce_scatter of its own");
  if (request.shardsOptimizer && (request.part != Part::Step || request.optimizer == Optimizer::None))
    return refusal("gen.hook", request.model.name, "--zero 1 without an optimizer, expected a step with one",
                   "add --part step");
  if (!request.shardsOptimizer && !llvm::is_contained(stepHooks(), request.hook))
    return refusal("gen.hook", request.model.name, "got the hook '" + request.hook + "'",
                   "the hooks are " + llvm::join(stepHooks(), ", "));
  return llvm::Error::success();
}

std::vector<Tensor> BucketedGradients::reduceBy(const std::vector<Tensor> &parameters,
                                                const std::vector<Tensor> &gradients, CommHook hook) {
  DataParallel ddp(parameters, {.group = "replicate", .hook = std::move(hook), .divisor = 1});
  return ddp.reduce(gradients).tensors();
}

std::vector<Tensor> BucketedGradients::reduce(const std::vector<Tensor> &parameters,
                                              const std::vector<Tensor> &gradients) {
  if (request_.hook != powerSgd && request_.hook != batchedPowerSgd)
    return reduceBy(parameters, gradients, llvm::cantFail(hookOfName(request_.hook)));
  PowerSgdOptions options{.startIteration = firstCompressed, .batched = request_.hook == batchedPowerSgd};
  PowerSgd compress = llvm::cantFail(PowerSgd::create(trace_, options, steadyIteration));
  std::vector<Tensor> sums = reduceBy(parameters, gradients, compress.hook());
  for (const PowerSgd::State &state : compress.states())
    for (const Tensor &tensor : {state.error, state.q})
      if (!tensor.isAbsent())
        state_.push_back(tensor);
  return sums;
}

std::vector<Tensor> BucketedGradients::stepSharded(const std::vector<Tensor> &parameters,
                                                   const std::vector<Tensor> &gradients) {
  std::vector<Tensor> shards, averages, squares;
  bool adam = request_.optimizer == Optimizer::AdamW;
  Tensor next;
  auto update = [&](const GradBucket &bucket, const Tensor &gradient) {
    // The count is incremented where the first bucket is recorded, before the end of the backward pass.
    if (adam && next.isAbsent())
      next = trace_.input("optimizer_step", {DType::F32, {}, request_.device}) + 1;
    std::string number = std::to_string(bucket.index);
    TensorSpec like{DType::F32, gradient.sizes(), request_.device};
    Tensor shard = trace_.input("shard_" + number, like);
    if (!adam)
      return shards.emplace_back(sgd(shard, gradient, {.lr = request_.learningRate}));
    AdamWState state{shard, trace_.input("average_" + number, like), trace_.input("square_" + number, like), next};
    AdamWState after = adamw(state, gradient, {.lr = request_.learningRate});
    averages.push_back(after.average);
    squares.push_back(after.square);
    return shards.emplace_back(after.parameter);
  };
  std::vector<Tensor> results = reduceBy(parameters, gradients, shardedOptimizerHook(update));
  for (const std::vector<Tensor> &part : {shards, averages, squares})
    results.insert(results.end(), part.begin(), part.end());
  if (adam)
    results.push_back(next);
  return results;
}

} // namespace ccgraph::models
