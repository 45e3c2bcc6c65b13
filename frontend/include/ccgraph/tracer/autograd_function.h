// AutogradFunction: a piece of the program that says its own gradient, as torch.autograd.Function does.
//
//   AutogradFunction unshard{
//       [](const Tensor &shard) { return collectives::all_gather_tensor(to(shard, DType::BF16), 0, "fsdp"); },
//       [](const Tensor &g) { return collectives::reduce_scatter_tensor(to(g, DType::F32), "sum", 0, "fsdp"); }};
//   Tensor weight = apply(unshard, shard);
//
// That is for what no rule can know: a weight that is gathered as bf16 and whose gradient is summed as f32, or a loss
// whose gradient is cheaper than the chain rule over its parts. `backward` records where the gradient is complete, and
// what it records is said to come from where the result does.
//
// Ownership: the functions are kept until the trace is finished, with what they hold. Failure: as tensor.h says; a
// gradient that is not of the input's dtype and sizes fails the backward() that asked for it, as [gradient.function].
// Eager, `backward` is never called. Cost: that of what the functions record.
#pragma once

#include "ccgraph/tracer/tensor.h"

#include <functional>

namespace ccgraph::tracer {

struct AutogradFunction {
  std::function<Tensor(const Tensor &input)> forward;
  /// Of the result's gradient: the input's.
  std::function<Tensor(const Tensor &gradient)> backward;
};

[[nodiscard]] Tensor apply(const AutogradFunction &function, const Tensor &input);

} // namespace ccgraph::tracer
