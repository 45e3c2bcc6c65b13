// AutogradFunction: a part of the graph that defines its own gradient, as torch.autograd.Function does.
//
//   AutogradFunction unshard{
//       [](const Tensor &shard) { return collectives::all_gather_tensor(to(shard, DType::BF16), 0, "fsdp"); },
//       [](const Tensor &g) { return collectives::reduce_scatter_tensor(to(g, DType::F32), "sum", 0, "fsdp"); }};
//   Tensor weight = apply(unshard, shard);
//
// It serves cases that no rule covers: a weight that is gathered as bf16 and whose gradient is summed as f32, or a loss
// whose gradient is cheaper than the chain rule over its parts. `backward` records its nodes where the gradient is
// complete; these nodes have the provenance of the result.
//
// Ownership: the functions and their captures are kept until the trace is finished. Failure: see tensor.h; a gradient
// with another dtype or other sizes than the input fails the call of backward() with [gradient.function]. In an Eager
// session, `backward` is never called. Cost: that of the recorded nodes.
#pragma once

#include "ccgraph/tracer/tensor.h"

#include <functional>
#include <vector>

namespace ccgraph::tracer {

struct AutogradFunction {
  std::function<Tensor(const Tensor &input)> forward;
  /// Returns the gradient of the input, given that of the result.
  std::function<Tensor(const Tensor &gradient)> backward;
};

[[nodiscard]] Tensor apply(const AutogradFunction &function, const Tensor &input);

/// The same with several inputs: attention is a function of queries, keys and values.
struct AutogradListFunction {
  std::function<Tensor(const std::vector<Tensor> &inputs)> forward;
  /// Returns the gradient of each input, in their order, given that of the result.
  std::function<std::vector<Tensor>(const Tensor &gradient)> backward;
};

[[nodiscard]] Tensor apply(const AutogradListFunction &function, const std::vector<Tensor> &inputs);

} // namespace ccgraph::tracer
