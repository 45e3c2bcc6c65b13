// backward: appends the gradients of a recorded loss to the same graph.
//
//   Tensor error = mm(x, all_gather_tensor_autograd(shard, 0, "0")) - target;
//   Tensor loss = mean(error * error);
//   TensorList gradients = backward(loss, {shard});
//   trace.finish({loss, sgd(shard, gradients[0], {.lr = 0.1})});
//
// It is reverse mode on the open trace's graph (gradient.h documents the rules); the new nodes are typed and returned
// as tensors. It differentiates the sum of all ranks' losses.
//
// A tensor of several elements requires its own gradient, as torch.autograd.grad accepts one in grad_outputs. So a loss
// may be differentiated in pieces, each before the next one is computed.
//
// Ownership: results belong to the trace. Failure: a failed list, with the diagnostic of gradient.h: a loss of several
// elements, an operator without a rule on the path, or an in-place operator on the path. gradient.seed reports a given
// gradient with another dtype or other sizes than the loss. A failure leaves the graph unchanged. A parameter that the
// loss does not depend on has an absent gradient, as PyTorch's is None. Cost: a few operators for each operator on the
// path.
#pragma once

#include "ccgraph/tracer/tensor.h"

namespace ccgraph::tracer {

/// Returns d loss / d parameter for each parameter, with that parameter's dtype and sizes. `gradient` is the gradient
/// of `loss` itself, with its dtype and sizes; absent: one.
[[nodiscard]] TensorList backward(const Tensor &loss, const std::vector<Tensor> &parameters,
                                  const Tensor &gradient = Tensor());

} // namespace ccgraph::tracer
