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
// A tensor of several elements is differentiated where its own gradient is given, as torch.autograd.grad takes one in
// grad_outputs: so a loss may be differentiated in pieces, each before the next one is computed.
//
// Ownership: results belong to the trace. Failure: a list that has failed, with the diagnostic of gradient.h: a loss of
// several elements, an operator without a rule on the way, one that writes in place there; gradient.seed, for a given
// gradient of another dtype or other sizes than the loss. Nothing is left in the graph then.
// A parameter that the loss does not depend on has an absent gradient, as PyTorch's is None.
// Cost: a few operators for each one on the way.
#pragma once

#include "ccgraph/tracer/tensor.h"

namespace ccgraph::tracer {

/// d loss / d parameter for each, with that parameter's dtype and sizes. `gradient`: that of `loss` itself, of its dtype and
/// sizes; absent: one.
[[nodiscard]] TensorList backward(const Tensor &loss, const std::vector<Tensor> &parameters,
                                  const Tensor &gradient = Tensor());

} // namespace ccgraph::tracer
