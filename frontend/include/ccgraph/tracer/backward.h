// backward: the gradients of what a trace has recorded, as more of the same program.
//
//   Tensor error = mm(x, all_gather_tensor_autograd(shard, 0, "0")) - target;
//   Tensor loss = mean(error * error);
//   TensorList gradients = backward(loss, {shard});
//   trace.finish({loss, sgd(shard, gradients[0], {.lr = 0.1})});
//
// It is reverse mode on the open trace's graph (gradient.h, which has the rules and says what they are), with the new nodes
// typed and handed back as tensors. What is differentiated is the sum of all ranks' losses.
//
// Ownership: results belong to the trace. Failure: a list that has failed, with the diagnostic of gradient.h: a loss of
// several elements, an operator without a rule on the way, one that writes in place there; nothing is left in the graph
// then. A parameter that the loss does not depend on has an absent gradient, as PyTorch's is None.
// Cost: a few operators for each one on the way.
#pragma once

#include "ccgraph/tracer/tensor.h"

namespace ccgraph::tracer {

/// d loss / d parameter for each, with that parameter's dtype and sizes.
[[nodiscard]] TensorList backward(const Tensor &loss, const std::vector<Tensor> &parameters);

} // namespace ccgraph::tracer
