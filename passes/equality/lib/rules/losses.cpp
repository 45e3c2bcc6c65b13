// Losses of two tensors and their gradients. A loss of the difference is a pseudo-random function of its square, since
// it is even; its gradient is the difference times such a function. Cross-entropies of probabilities are taken apart.
#include "rules/compose.h"
#include "rules/reductions.h"

namespace ccgraph::equality {
namespace {

const Word one = fromPlain(1);

/// Applies a reduction: 0 none, 1 mean, 2 sum.
Value reducedLoss(Call &call, const Array &losses, size_t position) {
  const int64_t reduction = call.integer(position, 1);
  if (reduction == 0 || call.failed())
    return Value(losses);
  IntList dims = allDims(static_cast<int64_t>(losses.sizes.size()));
  return Value(reduction == 1 ? meanOver(call, losses, dims, false) : sumOver(losses, dims, false));
}
/// Returns gradients times that of the loss, divided by the number of elements for a mean.
Value reducedGradient(Call &call, const Array &gradients, size_t position) {
  const Word share = call.integer(position, 1) == 1 ? call.field->inverse(numberOfInteger(gradients.count())) : one;
  Array scaled = mapWords(gradients, Kind::Float, [share](Word word) { return multiply(word, share); });
  return Value(times(call, scaled, call.floats(0)));
}

uint64_t keyWithNumber(const Call &call, llvm::StringRef text, size_t position) {
  const Value &value = call.at(position);
  return mix(hashText(text),
             numberOfReal(value.is(Value::Type::Real) ? value.real : static_cast<double>(value.integer)));
}

// smooth_l1_loss(self, target, reduction, beta) and huber_loss(self, target, reduction, delta)
Value evenLossRule(Call &call) {
  const uint64_t key = keyWithNumber(call, call.base, 3);
  Array difference = minus(call, call.floats(0), call.floats(1));
  Array losses =
      mapWords(difference, Kind::Float, [&](Word word) { return call.field->random(key, multiply(word, word)); });
  return reducedLoss(call, losses, 2);
}
// The same with the gradient first and "_backward".
Value evenLossBackwardRule(Call &call) {
  const uint64_t key = keyWithNumber(call, call.base, 4);
  Array difference = minus(call, call.floats(1), call.floats(2));
  Array gradients = mapWords(difference, Kind::Float,
                             [&](Word word) { return multiply(word, call.field->random(key, multiply(word, word))); });
  return reducedGradient(call, gradients, 3);
}

// soft_margin_loss(self, target, reduction): softplus(-self target)
Array marginOf(Call &call, size_t self) { return negated(call, times(call, call.floats(self), call.floats(self + 1))); }
Value softMarginRule(Call &call) {
  Array losses = mapWords(marginOf(call, 0), Kind::Float,
                          [&](Word word) { return call.field->random(hashText("soft margin"), word); });
  return reducedLoss(call, losses, 2);
}
Value softMarginBackwardRule(Call &call) {
  Array slope = applied(call, "aten.sigmoid", {Value(marginOf(call, 1))});
  return reducedGradient(call, negated(call, times(call, slope, call.floats(2))), 3);
}

Array complement(const Array &a) {
  return mapWords(a, Kind::Float, [](Word word) { return subtract(one, word); });
}
Array logOf(Call &call, const Array &a) { return applied(call, "aten.log", {Value(a)}); }
Array weighted(Call &call, const Array &losses, size_t weight) {
  return call.has(weight) ? times(call, losses, call.floats(weight)) : losses;
}
// binary_cross_entropy(self, target, weight, reduction): -(target log(self) + (1 - target) log(1 - self))
Value binaryLossRule(Call &call) {
  Array self = call.floats(0), target = call.floats(1);
  Array losses = sumOf(call, times(call, target, logOf(call, self)),
                       times(call, complement(target), logOf(call, complement(self))));
  return call.failed() ? Value() : reducedLoss(call, weighted(call, negated(call, losses), 2), 3);
}
// binary_cross_entropy_backward(grad, self, target, weight, reduction): (self - target) / (self (1 - self))
Value binaryLossBackwardRule(Call &call) {
  Array self = call.floats(1), target = call.floats(2);
  Array below = times(call, self, complement(self));
  Array gradients = applied(call, "aten.div", {Value(minus(call, self, target)), Value(below)});
  return call.failed() ? Value() : reducedGradient(call, weighted(call, gradients, 3), 4);
}
// binary_cross_entropy_with_logits(self, target, weight, pos_weight, reduction):
// (1 - target) self - (1 + (pos_weight - 1) target) log_sigmoid(self)
Value logitLossRule(Call &call) {
  Array self = call.floats(0), target = call.floats(1);
  Array log = applied(call, "aten.log_sigmoid", {Value(self)});
  if (call.has(3)) {
    Array more = mapWords(call.floats(3), Kind::Float, [](Word word) { return subtract(word, one); });
    Array factor = mapWords(times(call, more, target), Kind::Float, [](Word word) { return add(word, one); });
    log = times(call, factor, log);
  }
  Array losses = minus(call, times(call, complement(target), self), log);
  return call.failed() ? Value() : reducedLoss(call, weighted(call, losses, 2), 4);
}

} // namespace

llvm::ArrayRef<RuleEntry> lossRules() {
  static constexpr RuleEntry rules[] = {
      {"aten.binary_cross_entropy", binaryLossRule},
      {"aten.binary_cross_entropy_backward", binaryLossBackwardRule},
      {"aten.binary_cross_entropy_with_logits", logitLossRule},
      {"aten.huber_loss", evenLossRule},
      {"aten.huber_loss_backward", evenLossBackwardRule},
      {"aten.smooth_l1_loss", evenLossRule},
      {"aten.smooth_l1_loss_backward", evenLossBackwardRule},
      {"aten.soft_margin_loss", softMarginRule},
      {"aten.soft_margin_loss_backward", softMarginBackwardRule},
  };
  return rules;
}

} // namespace ccgraph::equality
