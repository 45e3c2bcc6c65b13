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

// l1_loss(self, target, reduction)
Value absoluteLossRule(Call &call) {
  Array losses = applied(call, "aten.abs", {Value(minus(call, call.floats(0), call.floats(1)))});
  return call.failed() ? Value() : reducedLoss(call, losses, 2);
}
/// Returns the norms of a - b + epsilon along the last dimension.
Array distances(Call &call, const Array &a, const Array &b, double order, double epsilon) {
  Array difference = sumOf(call, minus(call, a, b), filled(Kind::Float, {}, numberOfReal(epsilon)));
  const Value last(std::vector<Value>{Value::ofInteger(-1)});
  return applied(call, "aten.linalg_vector_norm", {Value(difference), Value::ofReal(order), last});
}
// triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction): max(0, margin + |a - p| - |a - n|),
// where `swap` takes |p - n| in place of |a - n| if it is smaller
Value tripletRule(Call &call) {
  const double order = call.real(4, 2), epsilon = call.real(5, 1e-6);
  const Array anchor = call.floats(0), positive = call.floats(1), negative = call.floats(2);
  Array near = distances(call, anchor, positive, order, epsilon);
  Array far = distances(call, anchor, negative, order, epsilon);
  if (call.flag(6))
    far = applied(call, "aten.minimum", {Value(far), Value(distances(call, positive, negative, order, epsilon))});
  Array margin = filled(Kind::Float, {}, numberOfReal(call.real(3, 1)));
  Array losses = minus(call, sumOf(call, near, margin), far);
  losses = applied(call, "aten.clamp_min", {Value(losses), Value::ofInteger(0)});
  return call.failed() ? Value() : reducedLoss(call, losses, 7);
}
// kl_div(self, target, reduction, log_target): target (log(target) - self), where self is a logarithm
Value divergenceRule(Call &call) {
  Array self = call.floats(0), target = call.floats(1);
  const bool isLog = call.flag(3);
  Array weight = isLog ? exponential(call, target) : target;
  Array entropy = isLog ? times(call, weight, target) : applied(call, "aten.xlogy", {Value(target), Value(target)});
  Array losses = minus(call, entropy, times(call, weight, self));
  return call.failed() ? Value() : reducedLoss(call, losses, 2);
}

/// Returns [examples, classes] of [examples, classes, ...], with the further dimensions as examples. A tensor of
/// classes alone is one example.
Array examplesOf(Call &call, const Array &scores) {
  const int64_t rank = static_cast<int64_t>(scores.sizes.size()), classes = scores.sizes[rank == 1 ? 0 : 1];
  Array last = rank < 3
                   ? scores
                   : applied(call, "aten.movedim", {Value(scores), Value::ofInteger(1), Value::ofInteger(rank - 1)});
  return call.failed() ? scores : reshaped(last, {classes == 0 ? 0 : last.count() / classes, classes});
}
/// Returns the loss of labels: argument 1, with weight, reduction and ignored label at 2 to 4.
Value labelLoss(Call &call, const Array &scores) {
  const Array labels = call.tensor(1), examples = examplesOf(call, scores);
  if (call.failed())
    return {};
  Call loss = call;
  loss.base = "aten.nll_loss_forward";
  loss.arguments = {Value(examples), Value(reshaped(labels, {labels.count()})), call.at(2), call.at(3), call.at(4)};
  Value values = evaluateCall(loss);
  if (loss.failed())
    return call.reject(loss.problem), Value();
  const Array result = read(values.list.front().tensor);
  return Value(call.integer(3, 1) == 0 ? reshaped(result, labels.sizes) : result);
}
// nll_loss(self, target, weight, reduction, ignore_index), nll_loss_nd
Value labelLossRule(Call &call) { return labelLoss(call, call.floats(0)); }

/// -sum(target log softmax(self)) over the classes, of targets that are probabilities. A mean is one over the examples.
Value softLabelLoss(Call &call, const Array &logs) {
  Array products = times(call, examplesOf(call, logs), examplesOf(call, call.floats(1)));
  if (call.failed())
    return {};
  return reducedLoss(call, negated(call, sumOver(products, {1}, false)), 3);
}
/// Returns -sum(log softmax(self)) over the classes, 0 where the label is ignored; a mean is one over the other labels.
Array sumOverClasses(Call &call, const Array &logs) {
  const Array labels = call.tensor(1);
  Array losses = reshaped(negated(call, sumOver(examplesOf(call, logs), {1}, false)), labels.sizes);
  const auto ignored = static_cast<Word>(call.integer(4, -100));
  Array counts = mapWords(labels, Kind::Float, [&](Word label) { return label == ignored ? 0 : one; });
  losses = times(call, losses, counts);
  if (call.failed() || call.integer(3, 1) == 0)
    return losses;
  const IntList dims = allDims(static_cast<int64_t>(labels.sizes.size()));
  Array sum = sumOver(losses, dims, false);
  return call.integer(3, 1) == 2 ? sum : applied(call, "aten.div", {Value(sum), Value(sumOver(counts, dims, false))});
}
/// Returns (1 - s) loss + s / classes * (the sum over the classes), for the smoothing s.
Value smoothedLoss(Call &call, const Array &logs) {
  const int64_t classes = examplesOf(call, logs).sizes[1];
  const Word smoothing = numberOfReal(call.real(5, 0));
  Value loss = labelLoss(call, logs);
  if (call.failed())
    return {};
  Array labelled =
      mapWords(read(loss.tensor), Kind::Float, [&](Word word) { return multiply(word, subtract(one, smoothing)); });
  const Word share = multiply(smoothing, call.field->inverse(numberOfInteger(classes)));
  Array all = mapWords(sumOverClasses(call, logs), Kind::Float, [&](Word word) { return multiply(word, share); });
  return call.failed() ? Value() : Value(sumOf(call, labelled, all));
}
// cross_entropy_loss(self, target, weight, reduction, ignore_index, label_smoothing)
Value crossEntropyRule(Call &call) {
  Array scores = call.floats(0);
  const bool isSoft = call.tensor(1).kind == Kind::Float;
  call.require(!scores.sizes.empty(), "a loss of one number");
  const bool isSmoothed = call.real(5, 0) != 0;
  call.require(!isSmoothed || (!isSoft && !call.has(2)), "no rule for this loss with smoothed labels");
  call.require(!isSoft || (!call.has(2) && (call.integer(3, 1) != 0 || scores.sizes.size() == 2)),
               "no rule for this loss of probabilities");
  if (call.failed())
    return {};
  Array logs = applied(call, "aten._log_softmax", {Value(scores), Value::ofInteger(scores.sizes.size() == 1 ? 0 : 1)});
  if (call.failed())
    return {};
  return isSoft ? softLabelLoss(call, logs) : isSmoothed ? smoothedLoss(call, logs) : labelLoss(call, logs);
}

} // namespace

llvm::ArrayRef<RuleEntry> lossRules() {
  static constexpr RuleEntry rules[] = {
      {"aten.binary_cross_entropy", binaryLossRule},
      {"aten.binary_cross_entropy_backward", binaryLossBackwardRule},
      {"aten.binary_cross_entropy_with_logits", logitLossRule},
      {"aten.cross_entropy_loss", crossEntropyRule},
      {"aten.huber_loss", evenLossRule},
      {"aten.huber_loss_backward", evenLossBackwardRule},
      {"aten.kl_div", divergenceRule},
      {"aten.l1_loss", absoluteLossRule},
      {"aten.nll_loss", labelLossRule},
      {"aten.nll_loss_nd", labelLossRule},
      {"aten.smooth_l1_loss", evenLossRule},
      {"aten.smooth_l1_loss_backward", evenLossBackwardRule},
      {"aten.soft_margin_loss", softMarginRule},
      {"aten.soft_margin_loss_backward", softMarginBackwardRule},
      {"aten.triplet_margin_loss", tripletRule},
  };
  return rules;
}

} // namespace ccgraph::equality
