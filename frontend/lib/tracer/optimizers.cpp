#include "ccgraph/tracer/optimizers.h"

#include "ccgraph/tracer/elementwise.h"

#include <cmath>

namespace ccgraph::tracer {

Tensor sgd(const Tensor &parameter, const Tensor &gradient, const SgdOptions &options) {
  Tensor direction = options.weightDecay == 0 ? gradient : add(gradient, parameter, options.weightDecay);
  return sub(parameter, direction, options.lr);
}

AdamWState adamw(const AdamWState &state, const Tensor &gradient, const AdamWOptions &options) {
  auto step = static_cast<double>(options.step);
  double ofAverage = 1 - std::pow(options.beta1, step), ofSquare = 1 - std::pow(options.beta2, step);
  AdamWState next;
  next.average = state.average * options.beta1 + gradient * (1 - options.beta1);
  next.square = state.square * options.beta2 + gradient * gradient * (1 - options.beta2);
  Tensor scale = sqrt(next.square / ofSquare) + options.eps;
  Tensor decayed = state.parameter * (1 - options.lr * options.weightDecay);
  next.parameter = sub(decayed, next.average / scale, options.lr / ofAverage);
  return next;
}

} // namespace ccgraph::tracer
