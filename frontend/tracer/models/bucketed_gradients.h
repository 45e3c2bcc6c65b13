// BucketedGradients reduces the gradients of replicas in the buckets of PyTorch's DistributedDataParallel.
//
// Sums are not divided, since the loss of a generated step is a part of the mean over all tokens.
//
// Ownership: refers to the trace and the request. Failure: an error for an unknown hook; failed tensors (tensor.h)
// otherwise. Cost: some nodes for each parameter and bucket.
#pragma once

#include "models/layout.h"
#include "models/training_step.h"

#include "ccgraph/tracer/gradient_hooks.h"
#include "ccgraph/tracer/power_sgd.h"

namespace ccgraph::models {

/// Returns an error if the request asks for buckets where there are no replicas, or for a hook that does not exist.
[[nodiscard]] llvm::Error checkHook(const GenerateRequest &request);

class BucketedGradients {
public:
  BucketedGradients(tracer::Trace &trace, const GenerateRequest &request) : trace_(trace), request_(request) {}

  /// Returns the sums of the gradients over the replicas; the hook's new state is added to `state`.
  [[nodiscard]] std::vector<Tensor> reduce(const std::vector<Tensor> &parameters, const std::vector<Tensor> &gradients);
  [[nodiscard]] const std::vector<Tensor> &state() const { return state_; }

  /// Returns the results of a step with a sharded optimizer, after the loss.
  [[nodiscard]] std::vector<Tensor> stepSharded(const std::vector<Tensor> &parameters,
                                                const std::vector<Tensor> &gradients);

private:
  [[nodiscard]] std::vector<Tensor> reduceBy(const std::vector<Tensor> &parameters,
                                             const std::vector<Tensor> &gradients, tracer::CommHook hook);

  tracer::Trace &trace_;
  const GenerateRequest &request_;
  std::vector<Tensor> state_;
};

} // namespace ccgraph::models
