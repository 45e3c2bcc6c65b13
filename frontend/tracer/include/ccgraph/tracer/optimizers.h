// Optimizer steps as functions of tensors: the new value of a parameter, from its old value and its gradient.
//
// The formulas are those of torch.optim (SGD without momentum; AdamW by Loshchilov and Hutter, "Decoupled Weight Decay
// Regularization", 2019), with its defaults. Nothing is written in place: the step returns new values, which the caller
// passes to the next step.
//
// Each step has two forms. For one parameter it uses plain operators. For a list it uses PyTorch's multi-tensor form:
// `_foreach_*` operators, each on all parameters of one dtype and device together, in the order of torch.optim's calls.
// So a graph has as many calls for a thousand parameters as for one. Both forms compute the same formula and round it
// differently, since a list's average is a lerp and its quotient an addcdiv.
//
//   sgd({p, q}, {g, h}, {.lr = 0.1})    ->    _foreach_add.List([p, q], [g, h], alpha=-0.1)
//
// A parameter of a list whose gradient is absent is unchanged, as in torch.optim.
//
// Failure: see tensor.h; [trace.optimizer] for lists of different lengths. Cost for one parameter: SGD two calls, AdamW
// about fourteen. Cost for a list, for each dtype and device: SGD one or two calls, AdamW eight.
#pragma once

#include "ccgraph/tracer/tensor.h"

namespace ccgraph::tracer {

struct SgdOptions {
  double lr = 1e-3;
  double weightDecay = 0;
};
/// parameter - lr (gradient + weightDecay parameter)
[[nodiscard]] Tensor sgd(const Tensor &parameter, const Tensor &gradient, const SgdOptions &options = {});
[[nodiscard]] std::vector<Tensor> sgd(const std::vector<Tensor> &parameters, const std::vector<Tensor> &gradients,
                                      const SgdOptions &options = {});

struct AdamWOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weightDecay = 1e-2;
  /// number of this step, from 1: a constant of the graph, where the state has no step of its own
  int64_t step = 1;
};
/// A parameter, and the moving averages of its gradient and of the square of its gradient, which begin as zeros.
struct AdamWState {
  Tensor parameter;
  Tensor average;
  Tensor square;
  /// number of this step, from 1, as a scalar input of the graph; absent: AdamWOptions::step
  Tensor step = {};
};
/// average <- beta1 average + (1 - beta1) g, square <- beta2 square + (1 - beta2) g^2,
/// parameter <- parameter (1 - lr weightDecay) - lr / (1 - beta1^step) average / (sqrt(square / (1 - beta2^step)) +
/// eps)
[[nodiscard]] AdamWState adamw(const AdamWState &state, const Tensor &gradient, const AdamWOptions &options = {});
[[nodiscard]] std::vector<AdamWState> adamw(const std::vector<AdamWState> &states, const std::vector<Tensor> &gradients,
                                            const AdamWOptions &options = {});

} // namespace ccgraph::tracer
