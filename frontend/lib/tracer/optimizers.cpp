#include "ccgraph/tracer/optimizers.h"

#include "ccgraph/tracer/elementwise.h"

#include <cmath>

namespace ccgraph::tracer {

Tensor sgd(const Tensor &parameter, const Tensor &gradient, const SgdOptions &options) {
  Tensor direction = options.weightDecay == 0 ? gradient : add(gradient, parameter, options.weightDecay);
  return sub(parameter, direction, options.lr);
}

namespace {

/// 1 - beta^step, by which an average that began as zero is too small.
Term startup(double beta, const AdamWState &state, const AdamWOptions &options) {
  if (state.step.isAbsent())
    return 1 - std::pow(beta, static_cast<double>(options.step));
  return 1 - exp(state.step * std::log(beta));
}

} // namespace

AdamWState adamw(const AdamWState &state, const Tensor &gradient, const AdamWOptions &options) {
  AdamWState next;
  next.step = state.step;
  next.average = state.average * options.beta1 + gradient * (1 - options.beta1);
  next.square = state.square * options.beta2 + gradient * gradient * (1 - options.beta2);
  Tensor scale = sqrt(next.square / startup(options.beta2, state, options)) + options.eps;
  Tensor decayed = state.parameter * (1 - options.lr * options.weightDecay);
  Tensor direction = next.average / startup(options.beta1, state, options) / scale;
  next.parameter = sub(decayed, direction, options.lr);
  return next;
}

} // namespace ccgraph::tracer
