// Softmax, losses and norms, taken apart into sums, products, exponentials and roots, so that a form that is spread
// over ranks is equal to the single one. A softmax needs no maximum: exp(x - m) / sum(exp(x - m)) is exp(x) /
// sum(exp(x)).
#include "rules/norms.h"

#include "rules/reductions.h"

namespace ccgraph::equality {

Array squareOf(Call &call, const Array &a) { return applied(call, "aten.square", {Value(a)}); }

Array reciprocalRoot(Call &call, const Array &a, double epsilon) {
  return applied(call, "aten.rsqrt", {Value(sumOf(call, a, filled(Kind::Float, {}, numberOfReal(epsilon))))});
}

Array normGradient(Call &call, const NormGradient &of, IntListRef dims, Centering centering) {
  Array along = meanOver(call, times(call, of.gradient, of.normal), dims, true);
  Array inner = minus(call, of.gradient, times(call, of.normal, along));
  if (centering == Centering::Mean)
    inner = minus(call, inner, meanOver(call, of.gradient, dims, true));
  return times(call, inner, of.rstd);
}

namespace {

// _softmax(self, dim, half_to_float)
Value softmaxRule(Call &call) {
  Array x = call.floats(0);
  int64_t dim = call.dimension(1, x.sizes.size());
  Array e = exponential(call, shiftedLines(call, x, {dim}).values);
  return Value(applied(call, "aten.div", {Value(e), Value(lineSums(e, dim))}));
}
// _safe_softmax(self, dim, dtype): 0 where all elements of a line are -inf
Value safeSoftmaxRule(Call &call) {
  Array x = call.floats(0);
  int64_t dim = call.dimension(1, x.sizes.size());
  Array e = exponential(call, shiftedLines(call, x, {dim}).values);
  Array sums = lineSums(e, dim);
  Array shares = mapWords(sums, Kind::Float, [&](Word word) { return word == 0 ? word : call.field->inverse(word); });
  return Value(times(call, e, shares));
}
Value logSoftmaxRule(Call &call) {
  Array x = call.floats(0);
  int64_t dim = call.dimension(1, x.sizes.size());
  x = shiftedLines(call, x, {dim}).values;
  Array sums = applied(call, "aten.log", {Value(lineSums(exponential(call, x), dim))});
  return Value(minus(call, x, sums));
}
Value logSumExpRule(Call &call) {
  Array x = call.floats(0);
  return Value(logSumOfLines(call, x, call.dimensions(1, x.sizes.size()), call.flag(2)));
}
// output * (grad - sum(output * grad))
Value softmaxBackwardRule(Call &call) {
  Array grad = call.floats(0), output = call.floats(1);
  int64_t dim = call.dimension(2, output.sizes.size());
  Array sums = lineSums(times(call, output, grad), dim);
  return Value(times(call, output, minus(call, grad, sums)));
}
// grad - exp(output) * sum(grad)
Value logSoftmaxBackwardRule(Call &call) {
  Array grad = call.floats(0), output = call.floats(1);
  Array sums = lineSums(grad, call.dimension(2, output.sizes.size()));
  return Value(minus(call, grad, times(call, exponential(call, output), sums)));
}

/// The classes of a loss, [examples, classes] or [classes], and what selects among them.
struct Loss {
  Array targets;
  int64_t examples = 0, classes = 0;
  int64_t ignored = -100;
  int64_t reduction = 1;
  Words weights;

  /// The index of the element that example `i` selects; empty for an ignored one.
  [[nodiscard]] std::optional<size_t> selected(Call &call, int64_t i) const {
    int64_t target = targets.integer(i);
    if (target == ignored)
      return std::nullopt;
    call.require(target >= 0 && target < classes, "class " + llvm::Twine(target) + " of " + llvm::Twine(classes));
    return call.failed() ? std::nullopt : std::optional(static_cast<size_t>(i * classes + target));
  }
  [[nodiscard]] Word weight(size_t element) const { return weights[element % static_cast<size_t>(classes)]; }
  [[nodiscard]] Word totalWeight(Call &call) const {
    Word total = 0;
    for (int64_t i = 0; i != examples; ++i)
      if (std::optional<size_t> element = selected(call, i))
        total = add(total, weight(*element));
    return total;
  }
};
/// Reads the arguments from `first` on: self, target, weight, reduction, ignore_index.
Loss lossOf(Call &call, size_t first) {
  Loss loss;
  Array self = call.floats(first);
  loss.targets = call.tensor(first + 1);
  call.require(self.sizes.size() == 1 || self.sizes.size() == 2, "a loss of " + intListText(self.sizes));
  loss.classes = self.sizes.empty() ? 1 : self.sizes.back();
  loss.examples = self.sizes.size() == 2 ? self.sizes[0] : 1;
  call.require(loss.targets.count() == loss.examples && loss.targets.kind == Kind::Integer, "targets of other sizes");
  loss.reduction = call.integer(first + 3, 1);
  loss.ignored = call.integer(first + 4, -100);
  loss.weights.assign(static_cast<size_t>(std::max<int64_t>(loss.classes, 1)), fromPlain(1));
  if (call.has(first + 2)) {
    Array weights = call.floats(first + 2);
    call.require(weights.count() == loss.classes, "weights of other sizes");
    loss.weights = *weights.words;
  }
  return loss;
}

// nll_loss_forward(self, target, weight, reduction, ignore_index) -> (loss, total weight)
Value lossRule(Call &call) {
  Loss loss = lossOf(call, 0);
  Array self = call.floats(0);
  if (call.failed())
    return {};
  Words losses(static_cast<size_t>(loss.examples), 0);
  Word sum = 0;
  for (int64_t i = 0; i != loss.examples; ++i)
    if (std::optional<size_t> element = loss.selected(call, i)) {
      Word word = negate(multiply((*self.words)[*element], loss.weight(*element)));
      losses[static_cast<size_t>(i)] = word;
      sum = add(sum, word);
    }
  Word total = loss.totalWeight(call);
  Word reduced = loss.reduction == 1 ? call.field->divide(sum, total) : sum;
  bool isNone = loss.reduction == 0 && self.sizes.size() == 2;
  Array value = isNone ? makeArray(Kind::Float, {loss.examples}, std::move(losses), self.digits)
                       : makeArray(Kind::Float, {}, {reduced}, self.digits);
  return Value(std::vector<Value>{Value(value), Value(filled(Kind::Float, {}, loss.reduction == 0 ? 0 : total))});
}

// nll_loss_backward(grad, self, target, weight, reduction, ignore_index, total_weight)
Value lossBackwardRule(Call &call) {
  Loss loss = lossOf(call, 1);
  Array self = call.floats(1), grad = call.floats(0), total = call.floats(6);
  if (call.failed())
    return {};
  call.require(grad.count() == 1 || grad.count() == loss.examples, "a gradient of other sizes");
  Words words(self.words->size(), 0);
  Word share = loss.reduction == 1 ? call.field->inverse(total[0]) : fromPlain(1);
  for (int64_t i = 0; i != loss.examples; ++i)
    if (std::optional<size_t> element = loss.selected(call, i))
      words[*element] = negate(multiply(multiply(grad[grad.count() == 1 ? 0 : i], share), loss.weight(*element)));
  return Value(makeArray(Kind::Float, self.sizes, std::move(words), std::min(grad.digits, total.digits)));
}

// mse_loss(self, target, reduction)
Value squaredLossRule(Call &call) {
  Array squares = applied(call, "aten.square", {Value(minus(call, call.floats(0), call.floats(1)))});
  int64_t reduction = call.integer(2, 1);
  if (reduction == 0 || call.failed())
    return Value(squares);
  IntList dims = allDims(static_cast<int64_t>(squares.sizes.size()));
  return Value(reduction == 1 ? meanOver(call, squares, dims, false) : sumOver(squares, dims, false));
}
// mse_loss_backward(grad, self, target, reduction): 2 grad (self - target), divided by the number of elements
Value squaredLossBackwardRule(Call &call) {
  Array difference = minus(call, call.floats(1), call.floats(2));
  int64_t count = call.integer(3, 1) == 1 ? difference.count() : 1;
  Word scale = call.field->divide(numberOfInteger(2), numberOfInteger(count));
  Array scaled = mapWords(difference, Kind::Float, [scale](Word word) { return multiply(word, scale); });
  return Value(times(call, scaled, call.floats(0)));
}

/// The dimensions that a layer norm covers: the last ones.
IntList lastDims(const Array &x, size_t count) {
  IntList dims;
  for (size_t i = x.sizes.size() - std::min(count, x.sizes.size()); i != x.sizes.size(); ++i)
    dims.push_back(static_cast<int64_t>(i));
  return dims;
}
IntList firstDims(const Array &x, size_t lastCount) {
  return allDims(static_cast<int64_t>(x.sizes.size() - std::min(lastCount, x.sizes.size())));
}
// native_layer_norm(input, normalized_shape, weight, bias, eps) -> (output, mean, rstd)
Value layerNormRule(Call &call) {
  Array x = call.floats(0);
  IntList dims = lastDims(x, call.integers(1).size());
  Array mean = meanOver(call, x, dims, true);
  Array centered = minus(call, x, mean);
  Array rstd = reciprocalRoot(call, meanOver(call, squareOf(call, centered), dims, true), call.real(4, 1e-5));
  Array output = times(call, centered, rstd);
  if (call.has(2))
    output = times(call, output, call.floats(2));
  if (call.has(3))
    output = sumOf(call, output, call.floats(3));
  return Value(std::vector<Value>{Value(output), Value(mean), Value(rstd)});
}

/// Sums a gradient to the sizes of a parameter of the last dimensions.
Array toParameter(const Array &gradient, size_t lastCount) {
  return sumOver(gradient, firstDims(gradient, lastCount), false);
}

// native_layer_norm_backward(grad, input, normalized_shape, mean, rstd, weight, bias, output_mask)
Value layerNormBackwardRule(Call &call) {
  Array grad = call.floats(0), x = call.floats(1), mean = call.floats(3), rstd = call.floats(4);
  size_t last = call.integers(2).size();
  Array normal = times(call, minus(call, x, mean), rstd);
  Array scaled = call.has(5) ? times(call, grad, call.floats(5)) : grad;
  if (call.failed())
    return {};
  Array input = normGradient(call, {scaled, normal, rstd}, lastDims(x, last), Centering::Mean);
  return Value(std::vector<Value>{Value(input), Value(toParameter(times(call, grad, normal), last)),
                                  Value(toParameter(grad, last))});
}

// layer_norm(input, normalized_shape, weight, bias, eps, cudnn_enable) and
// rms_norm(input, normalized_shape, weight, eps)
Value layerNormOutputRule(Call &call) {
  Value values = layerNormRule(call);
  return call.failed() ? Value() : values.list.front();
}

// _fused_rms_norm(input, normalized_shape, weight, eps) -> (output, rstd)
Value rmsNormRule(Call &call) {
  Array x = call.floats(0);
  IntList dims = lastDims(x, call.integers(1).size());
  Array rstd = reciprocalRoot(call, meanOver(call, squareOf(call, x), dims, true), call.real(3, 2.220446049250313e-16));
  Array output = times(call, x, rstd);
  if (call.has(2))
    output = times(call, output, call.floats(2));
  return Value(std::vector<Value>{Value(output), Value(rstd)});
}
Value rmsNormOutputRule(Call &call) {
  Value values = rmsNormRule(call);
  return call.failed() ? Value() : values.list.front();
}
// _fused_rms_norm_backward(grad, input, normalized_shape, rstd, weight, output_mask)
Value rmsNormBackwardRule(Call &call) {
  Array grad = call.floats(0), x = call.floats(1), rstd = call.floats(3);
  size_t last = call.integers(2).size();
  Array normal = times(call, x, rstd);
  Array scaled = call.has(4) ? times(call, grad, call.floats(4)) : grad;
  if (call.failed())
    return {};
  Array input = normGradient(call, {scaled, normal, rstd}, lastDims(x, last), Centering::None);
  return Value(std::vector<Value>{Value(input), Value(toParameter(times(call, grad, normal), last))});
}

} // namespace

llvm::ArrayRef<RuleEntry> normRules() {
  static constexpr RuleEntry rules[] = {
      {"aten._fused_rms_norm", rmsNormRule},
      {"aten._fused_rms_norm_backward", rmsNormBackwardRule},
      {"aten._log_softmax", logSoftmaxRule},
      {"aten._log_softmax_backward_data", logSoftmaxBackwardRule},
      {"aten._safe_softmax", safeSoftmaxRule},
      {"aten._softmax", softmaxRule},
      {"aten._softmax_backward_data", softmaxBackwardRule},
      {"aten.layer_norm", layerNormOutputRule},
      {"aten.logsumexp", logSumExpRule},
      {"aten.mse_loss", squaredLossRule},
      {"aten.mse_loss_backward", squaredLossBackwardRule},
      {"aten.native_layer_norm", layerNormRule},
      {"aten.native_layer_norm_backward", layerNormBackwardRule},
      {"aten.nll_loss_backward", lossBackwardRule},
      {"aten.nll_loss_forward", lossRule},
      {"aten.rms_norm", rmsNormOutputRule},
  };
  return rules;
}

} // namespace ccgraph::equality
