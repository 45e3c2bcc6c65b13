#include "ccgraph/tracer/optimizers.h"

#include "ccgraph/tracer/elementwise.h"
#include "tracer/mode.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace ccgraph::tracer {

// --- Of one parameter ------------------------------------------------------------------------------------------------

Tensor sgd(const Tensor &parameter, const Tensor &gradient, const SgdOptions &options) {
  Tensor direction = options.weightDecay == 0 ? gradient : add(gradient, parameter, options.weightDecay);
  return sub(parameter, direction, options.lr);
}

namespace {

/// Returns 1 - beta^step, the factor by which an average that began as zero is too small.
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

// --- Of a list of them -----------------------------------------------------------------------------------------------

namespace {

using Tensors = std::vector<Tensor>;
/// The indices of tensors that one call may handle together.
using Batch = std::vector<size_t>;

/// Calls an operator on all tensors of `self`. If the call fails, each of the results is a failed tensor.
Tensors foreach (llvm::StringRef target, const Tensors &self, std::vector<Operand> rest,
                 std::vector<NamedOperand> kwargs = {}) {
  rest.insert(rest.begin(), Operand(self));
  TensorList list = callList(target, std::move(rest), std::move(kwargs));
  Tensors results;
  for (size_t i = 0; i < self.size(); ++i)
    results.push_back(list[i]);
  return results;
}

template <typename Element, typename Project>
Tensors gathered(const std::vector<Element> &from, const Batch &batch, Project project) {
  Tensors tensors;
  for (size_t i : batch)
    tensors.push_back(project(from[i]));
  return tensors;
}
Tensors gathered(const Tensors &from, const Batch &batch) {
  return gathered(from, batch, [](const Tensor &tensor) { return tensor; });
}

/// Groups tensors as torch.optim does, in the order of the first of each group; those without a gradient are in no
/// group.
template <typename Element, typename GoTogether>
std::vector<Batch> batchesOf(const std::vector<Element> &elements, const Tensors &gradients, GoTogether goTogether) {
  std::vector<Batch> batches;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (gradients[i].isAbsent())
      continue;
    auto found =
        llvm::find_if(batches, [&](const Batch &batch) { return goTogether(elements[batch.front()], elements[i]); });
    if (found == batches.end())
      batches.push_back({i});
    else
      found->push_back(i);
  }
  return batches;
}

bool areAlike(const Tensor &a, const Tensor &b) { return a.dtype() == b.dtype() && a.device() == b.device(); }

Tensor wrongLengths(llvm::StringRef function, size_t parameters, size_t gradients) {
  return detail::fail(detail::problem("trace.optimizer", function,
                                      "is given " + std::to_string(parameters) + " parameters and " +
                                          std::to_string(gradients) + " gradients",
                                      "give one for each, absent where a parameter has none"));
}

} // namespace

std::vector<Tensor> sgd(const std::vector<Tensor> &parameters, const std::vector<Tensor> &gradients,
                        const SgdOptions &options) {
  if (parameters.size() != gradients.size())
    return Tensors(parameters.size(), wrongLengths("sgd", parameters.size(), gradients.size()));
  Tensors next = parameters;
  for (const Batch &batch : batchesOf(parameters, gradients, areAlike)) {
    Tensors held = gathered(parameters, batch), direction = gathered(gradients, batch);
    if (options.weightDecay != 0)
      direction = foreach ("aten._foreach_add.List", direction, {held}, {{"alpha", options.weightDecay}});
    Tensors stepped = foreach ("aten._foreach_add.List", held, {direction}, {{"alpha", -options.lr}});
    for (size_t i = 0; i < batch.size(); ++i)
      next[batch[i]] = stepped[i];
  }
  return next;
}

namespace {

bool goTogether(const AdamWState &a, const AdamWState &b) {
  return areAlike(a.parameter, b.parameter) && a.step.isAbsent() == b.step.isAbsent();
}

/// The step of one batch, in PyTorch's order: decay, averages, then the parameters.
class ForeachAdamW {
public:
  ForeachAdamW(const std::vector<AdamWState> &states, const Batch &batch, const AdamWOptions &options)
      : states_(states), batch_(batch), options_(options) {}

  void run(const Tensors &gradients, std::vector<AdamWState> &next) const {
    Tensors parameters = gathered(states_, batch_, [](const AdamWState &state) { return state.parameter; });
    Tensors averages = gathered(states_, batch_, [](const AdamWState &state) { return state.average; });
    Tensors squares = gathered(states_, batch_, [](const AdamWState &state) { return state.square; });
    if (options_.weightDecay != 0)
      parameters = foreach ("aten._foreach_mul.Scalar", parameters, {1 - options_.lr * options_.weightDecay});
    averages = foreach ("aten._foreach_lerp.Scalar", averages, {gradients, 1 - options_.beta1});
    squares = foreach ("aten._foreach_mul.Scalar", squares, {options_.beta2});
    squares = foreach ("aten._foreach_addcmul.Scalar", squares, {gradients, gradients, 1 - options_.beta2});
    Tensors roots = foreach ("aten._foreach_sqrt.default", squares, {});
    bool constant = states_[batch_.front()].step.isAbsent();
    parameters = constant ? stepByConstants(parameters, averages, roots) : stepByTensors(parameters, averages, roots);
    for (size_t i = 0; i < batch_.size(); ++i)
      next[batch_[i]] = {parameters[i], averages[i], squares[i], states_[batch_[i]].step};
  }

private:
  [[nodiscard]] Tensors stepByConstants(const Tensors &parameters, const Tensors &averages, Tensors roots) const {
    const AdamWState &first = states_[batch_.front()];
    double early = startup(options_.beta1, first, options_).number()->asDouble();
    double earlySquare = startup(options_.beta2, first, options_).number()->asDouble();
    roots = foreach ("aten._foreach_div.ScalarList", roots, {numbers(std::sqrt(earlySquare))});
    roots = foreach ("aten._foreach_add.Scalar", roots, {options_.eps});
    return foreach ("aten._foreach_addcdiv.ScalarList", parameters, {averages, roots, numbers(-options_.lr / early)});
  }

  [[nodiscard]] Tensors stepByTensors(const Tensors &parameters, const Tensors &averages, Tensors roots) const {
    Tensors scales, sizes;
    for (size_t i = 0; i < batch_.size(); ++i) {
      const AdamWState &state = states_[batch_[i]];
      bool known = i > 0 && state.step.state() == states_[batch_[i - 1]].step.state();
      scales.push_back(known ? scales.back() : sqrt(*startup(options_.beta2, state, options_).tensor()));
      sizes.push_back(known ? sizes.back() : *startup(options_.beta1, state, options_).tensor() / -options_.lr);
    }
    roots = foreach ("aten._foreach_div.List", roots, {scales});
    roots = foreach ("aten._foreach_add.Scalar", roots, {options_.eps});
    roots = foreach ("aten._foreach_mul.List", roots, {sizes});
    return foreach ("aten._foreach_addcdiv.Scalar", parameters, {averages, roots});
  }

  /// Returns one number for each parameter.
  [[nodiscard]] Operand numbers(double value) const {
    return Actual::list(std::vector<Actual>(batch_.size(), Actual(value)));
  }

  const std::vector<AdamWState> &states_;
  const Batch &batch_;
  const AdamWOptions &options_;
};

} // namespace

std::vector<AdamWState> adamw(const std::vector<AdamWState> &states, const std::vector<Tensor> &gradients,
                              const AdamWOptions &options) {
  std::vector<AdamWState> next = states;
  if (states.size() != gradients.size()) {
    Tensor failed = wrongLengths("adamw", states.size(), gradients.size());
    next.assign(states.size(), {failed, failed, failed, failed});
    return next;
  }
  for (const Batch &batch : batchesOf(states, gradients, goTogether))
    ForeachAdamW(states, batch, options).run(gathered(gradients, batch), next);
  return next;
}

} // namespace ccgraph::tracer
