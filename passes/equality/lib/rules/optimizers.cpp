// Optimizers of whole lists: Adam and AdamW (PyTorch: torch/optim/adam.py), SGD (sgd.py) and Adagrad (adagrad.py).
//
// The forms in place write parameters and states. The others return lists of new tensors.
#include "rules/compose.h"

namespace ccgraph::equality {
namespace {

Array number(double value) { return filled(Kind::Float, {}, numberOfReal(value)); }
Array oneMinus(Call &call, const Array &a) { return minus(call, number(1), a); }
Array quotientOf(Call &call, const Array &a, const Array &b) { return applied(call, "aten.div", {Value(a), Value(b)}); }
Array rootOf(Call &call, const Array &a) { return applied(call, "aten.sqrt", {Value(a)}); }

/// The tensors of one element of the lists.
struct Element {
  Call &call;
  size_t index;

  /// Rejects the call if the list has another value than a tensor.
  [[nodiscard]] bool has(size_t list) const {
    return index < call.at(list).list.size() && call.at(list).list[index].is(Value::Type::Tensor);
  }
  [[nodiscard]] Array read(size_t list) const {
    if (has(list))
      return *converted(realPart(equality::read(call.at(list).list[index].tensor)), Kind::Float);
    call.reject("lists of different lengths");
    return number(0);
  }
  void write(size_t list, const Array &array) const {
    if (call.failed() || !has(list))
      return;
    const Tensor &target = call.at(list).list[index].tensor;
    call.require(target.sizes == array.sizes, "a state of other sizes than its parameter");
    if (!call.failed())
      equality::write(target, array);
  }
};

/// Calls `update(element)` for each parameter. The last two arguments scale gradients, for which there is no rule.
template <class Update>
Value forEachParameter(Call &call, Update update) {
  for (size_t position = call.arguments.size() - 2; position != call.arguments.size(); ++position)
    call.require(!call.has(position), "no rule for gradients that the optimizer scales");
  for (size_t i = 0; i != call.at(0).list.size() && !call.failed(); ++i)
    update(Element{call, i});
  return {};
}

/// Returns the gradient, negated to maximize, plus decay * parameter.
Array gradientOf(const Element &element, bool maximizes, const Array *decay) {
  Call &call = element.call;
  Array gradient = element.read(1);
  if (maximizes)
    gradient = negated(call, gradient);
  return decay ? sumOf(call, gradient, times(call, element.read(0), *decay)) : gradient;
}

/// The numbers of Adam, as tensors without dimensions.
struct AdamNumbers {
  Array rate, beta1, beta2, decay, epsilon;
};

// (self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad,
// maximize, grad_scale, found_inf). AdamW shrinks the parameter; Adam adds the decay to the gradient.
Value adamRule(Call &call) {
  AdamNumbers numbers{call.floats(6), call.floats(7), call.floats(8), call.floats(9), call.floats(10)};
  const bool shrinks = llvm::StringRef(call.base).contains("adamw");
  return forEachParameter(call, [&](const Element &element) {
    Array gradient = gradientOf(element, call.flag(12), shrinks ? nullptr : &numbers.decay);
    Array first = element.read(2), second = element.read(3), step = element.read(5), parameter = element.read(0);
    first = sumOf(call, first, times(call, minus(call, gradient, first), oneMinus(call, numbers.beta1)));
    Array squares = applied(call, "aten.square", {Value(gradient)});
    second = sumOf(call, times(call, second, numbers.beta2), times(call, squares, oneMinus(call, numbers.beta2)));
    Array bound = second;
    if (call.flag(11))
      bound = applied(call, "aten.maximum", {Value(element.read(4)), Value(second)});
    Array power1 = applied(call, "aten.pow", {Value(numbers.beta1), Value(step)});
    Array power2 = applied(call, "aten.pow", {Value(numbers.beta2), Value(step)});
    Array correction = rootOf(call, oneMinus(call, power2));
    Array below = sumOf(call, quotientOf(call, rootOf(call, bound), correction), numbers.epsilon);
    Array size = quotientOf(call, numbers.rate, oneMinus(call, power1));
    Array change = times(call, size, quotientOf(call, first, below));
    if (shrinks)
      parameter = times(call, parameter, oneMinus(call, times(call, numbers.rate, numbers.decay)));
    element.write(0, minus(call, parameter, change));
    element.write(2, first);
    element.write(3, second);
    if (call.flag(11))
      element.write(4, bound);
  });
}

// (self, grads, momentum_buffer_list, weight_decay, momentum, lr, dampening, nesterov, maximize, is_first_step,
// grad_scale, found_inf)
Value descentRule(Call &call) {
  Array decay = call.floats(3), momentum = call.floats(4), rate = call.floats(5);
  const bool hasMomentum = call.real(4, 0) != 0;
  return forEachParameter(call, [&](const Element &element) {
    Array gradient = gradientOf(element, call.flag(8), &decay);
    if (hasMomentum) {
      Array buffer = gradient;
      if (!call.flag(9))
        buffer =
            sumOf(call, times(call, element.read(2), momentum), times(call, gradient, oneMinus(call, call.floats(6))));
      element.write(2, buffer);
      gradient = call.flag(7) ? sumOf(call, gradient, times(call, buffer, momentum)) : buffer;
    }
    element.write(0, minus(call, element.read(0), times(call, gradient, rate)));
  });
}

// (self, grads, state_sums, state_steps, lr, lr_decay, weight_decay, eps, maximize, grad_scale, found_inf)
Value adagradRule(Call &call) {
  Array rate = call.floats(4), slower = call.floats(5), decay = call.floats(6), epsilon = call.floats(7);
  return forEachParameter(call, [&](const Element &element) {
    Array gradient = gradientOf(element, call.flag(8), &decay);
    Array sum = sumOf(call, element.read(2), applied(call, "aten.square", {Value(gradient)}));
    Array steps = times(call, minus(call, element.read(3), number(1)), slower);
    Array size = quotientOf(call, rate, sumOf(call, number(1), steps));
    Array below = sumOf(call, rootOf(call, sum), epsilon);
    element.write(0, minus(call, element.read(0), times(call, size, quotientOf(call, gradient, below))));
    element.write(2, sum);
  });
}

/// The forms that return new lists: the first `lists` arguments are copied, updated and returned.
template <Value (*rule)(Call &), size_t lists>
Value copied(Call &call) {
  Value result = Value(std::vector<Value>());
  for (size_t i = 0; i != call.arguments.size(); ++i) {
    Value &list = call.arguments[i];
    if (list.is(Value::Type::List))
      for (Value &value : list.list)
        if (value.is(Value::Type::Tensor))
          value = Value(read(value.tensor));
    if (i < lists)
      result.list.push_back(list);
  }
  (void)rule(call);
  return call.failed() ? Value() : result;
}

} // namespace

llvm::ArrayRef<RuleEntry> optimizerRules() {
  static constexpr RuleEntry rules[] = {
      {"aten._fused_adagrad_", adagradRule}, {"aten._fused_adam", copied<adamRule, 5>},
      {"aten._fused_adam_", adamRule},       {"aten._fused_adamw", copied<adamRule, 5>},
      {"aten._fused_adamw_", adamRule},      {"aten._fused_sgd", copied<descentRule, 3>},
      {"aten._fused_sgd_", descentRule},
  };
  return rules;
}

} // namespace ccgraph::equality
