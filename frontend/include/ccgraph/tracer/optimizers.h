// Optimizer steps, as functions of tensors: what a parameter is after the step, from what it was and its gradient.
//
// The formulas are those of torch.optim (SGD without momentum; AdamW by Loshchilov and Hutter, "Decoupled Weight Decay
// Regularization", 2019), with its defaults. Nothing is written in place: the step returns new values, which the caller
// gives to the next one.
//
// Failure: as tensor.h says. Cost: SGD two calls, AdamW about fourteen.
#pragma once

#include "ccgraph/tracer/tensor.h"

namespace ccgraph::tracer {

struct SgdOptions {
  double lr = 1e-3;
  double weightDecay = 0;
};
/// parameter - lr (gradient + weightDecay parameter)
[[nodiscard]] Tensor sgd(const Tensor &parameter, const Tensor &gradient, const SgdOptions &options = {});

struct AdamWOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weightDecay = 1e-2;
  /// of the step that is taken, from 1: a constant of the graph, where the state has no step of its own
  int64_t step = 1;
};
/// A parameter, and the moving averages of its gradient and of that one's square, which begin as zeros.
struct AdamWState {
  Tensor parameter;
  Tensor average;
  Tensor square;
  /// of the step that is taken, from 1, as a scalar that the program is given; absent: AdamWOptions::step
  Tensor step = {};
};
/// average <- beta1 average + (1 - beta1) g, square <- beta2 square + (1 - beta2) g^2,
/// parameter <- parameter (1 - lr weightDecay) - lr / (1 - beta1^step) average / (sqrt(square / (1 - beta2^step)) + eps)
[[nodiscard]] AdamWState adamw(const AdamWState &state, const Tensor &gradient, const AdamWOptions &options = {});

} // namespace ccgraph::tracer
