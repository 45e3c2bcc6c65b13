// Activations and their gradients. Where a rewrite takes a function apart, so does its rule: leaky_relu, prelu and glu.
// The others are pseudo-random functions of the exact argument, one for each choice of their numbers, and so are their
// derivatives. Bounds that are literals decide by such a function too (map.h, BoundOrder).
#include "rules/compose.h"

namespace ccgraph::equality {
namespace {

const Word one = fromPlain(1);

/// Returns a key of the text and of the numbers among the arguments.
uint64_t keyOf(const Call &call, llvm::StringRef text) {
  uint64_t key = hashText(text);
  for (const Value &argument : call.arguments)
    if (argument.isNumber())
      key = mix(key,
                numberOfReal(argument.is(Value::Type::Real) ? argument.real : static_cast<double>(argument.integer)));
  return key;
}

/// A function of the first argument that the operator and its numbers determine.
Value unaryRule(Call &call) {
  const uint64_t key = keyOf(call, call.base);
  return Value(mapWords(call.floats(0), Kind::Float, [&](Word word) { return call.field->random(key, word); }));
}
/// A function of two tensors.
Value binaryRule(Call &call) {
  const uint64_t key = keyOf(call, call.base);
  return Value(zipWords(call, call.floats(0), call.floats(1), Kind::Float, [&](Word a, Word b) {
    return isMark(a) || isMark(b) ? notANumber : call.field->random(mix(key, b), a);
  }));
}
/// grad * derivative(self), where grad is the first argument and self another one.
template <size_t self>
Value gradientRule(Call &call) {
  const uint64_t key = keyOf(call, call.base);
  return Value(zipWords(call, call.floats(0), call.floats(self), Kind::Float,
                        [&](Word grad, Word x) { return multiply(grad, call.field->random(key, x)); }));
}

bool isPositive(Word word) { return orderKey(word) > orderKey(0); }

/// Returns values, times `slope` where `of` is not positive.
Value sloped(Call &call, const Array &values, const Array &of, Word slope) {
  return Value(zipWords(call, values, of, Kind::Float,
                        [slope](Word value, Word x) { return isPositive(x) ? value : multiply(value, slope); }));
}
// leaky_relu(self, negative_slope)
Value leakyReluRule(Call &call) {
  return sloped(call, call.floats(0), call.floats(0), numberOfReal(call.real(1, 0.01)));
}
// leaky_relu_backward(grad, self, negative_slope, self_is_result)
Value leakyReluBackwardRule(Call &call) {
  return sloped(call, call.floats(0), call.floats(1), numberOfReal(call.real(2, 0.01)));
}
Word meanSlope(Call &call, size_t lower) {
  Word both = add(numberOfReal(call.real(lower, 0.125)), numberOfReal(call.real(lower + 1, 1.0 / 3)));
  return multiply(both, numberOfReal(0.5));
}
// rrelu_with_noise(self, noise, lower, upper, training, generator): without training, leaky_relu of the mean slope
Value randomReluRule(Call &call) {
  call.require(!call.flag(4), "no rule for random slopes");
  return sloped(call, call.floats(0), call.floats(0), meanSlope(call, 2));
}
// rrelu_with_noise_backward(grad, self, noise, lower, upper, training, self_is_result)
Value randomReluBackwardRule(Call &call) {
  call.require(!call.flag(5), "no rule for random slopes");
  return sloped(call, call.floats(0), call.floats(1), meanSlope(call, 3));
}

/// Returns w * x where x is not positive, x elsewhere.
Array preluOf(Call &call, const Array &values, const Array &self, const Array &weight) {
  Array negative = mapWords(self, Kind::Float, [](Word word) { return isPositive(word) ? Word{0} : one; });
  Array positive = mapWords(self, Kind::Float, [](Word word) { return isPositive(word) ? one : Word{0}; });
  return sumOf(call, times(call, values, positive), times(call, times(call, values, negative), weight));
}
// _prelu_kernel(self, weight), whose weight broadcasts
Value preluRule(Call &call) { return Value(preluOf(call, call.floats(0), call.floats(0), call.floats(1))); }
// _prelu_kernel_backward(grad, self, weight) -> (of self, of weight before its sum)
Value preluBackwardRule(Call &call) {
  Array grad = call.floats(0), self = call.floats(1);
  Array negative = mapWords(self, Kind::Float, [](Word word) { return isPositive(word) ? Word{0} : word; });
  return Value(
      std::vector<Value>{Value(preluOf(call, grad, self, call.floats(2))), Value(times(call, grad, negative))});
}

// hardtanh_backward(grad, self, min_val, max_val)
Value hardtanhBackwardRule(Call &call) {
  Array self = call.floats(1);
  BoundOrder low(*call.field, call.real(2, -1), self.digits), high(*call.field, call.real(3, 1), self.digits);
  return Value(zipWords(call, call.floats(0), self, Kind::Float,
                        [&](Word grad, Word x) { return low(x) > 0 && high(x) < 0 ? grad : Word{0}; }));
}

// threshold(self, threshold, value)
Value thresholdRule(Call &call) {
  Array self = call.floats(0);
  BoundOrder order(*call.field, call.real(1, 0), self.digits);
  const Word value = numberOfReal(call.real(2, 0));
  return Value(mapWords(self, Kind::Float, [&](Word word) { return order(word) > 0 ? word : value; }));
}

/// The halves of a dimension.
std::pair<Array, Array> halvesOf(Call &call, const Array &a, int64_t dim) {
  int64_t length = a.sizes.empty() ? 0 : a.sizes[static_cast<size_t>(dim)] / 2;
  auto half = [&](int64_t begin) {
    return applied(call, "aten.slice",
                   {Value(a), Value::ofInteger(dim), Value::ofInteger(begin), Value::ofInteger(begin + length),
                    Value::ofInteger(1)});
  };
  return {half(0), half(length)};
}
Array sigmoidOf(Call &call, const Array &a) { return applied(call, "aten.sigmoid", {Value(a)}); }
// glu(self, dim): a sigmoid(b) of the halves a and b
Value gluRule(Call &call) {
  Array self = call.floats(0);
  auto [a, b] = halvesOf(call, self, call.dimension(1, self.sizes.size(), -1));
  return Value(times(call, a, sigmoidOf(call, b)));
}
// glu_backward(grad, self, dim)
Value gluBackwardRule(Call &call) {
  Array grad = call.floats(0), self = call.floats(1);
  int64_t dim = call.dimension(2, self.sizes.size(), -1);
  auto [a, b] = halvesOf(call, self, dim);
  Array s = sigmoidOf(call, b);
  Array first = times(call, grad, s);
  Array slope = mapWords(s, Kind::Float, [](Word word) { return multiply(word, subtract(one, word)); });
  Array second = times(call, times(call, grad, a), slope);
  return Value(
      applied(call, "aten.cat", {Value(std::vector<Value>{Value(first), Value(second)}), Value::ofInteger(dim)}));
}

// softplus_backward(grad, self, beta, threshold): grad sigmoid(beta self)
Value softplusBackwardRule(Call &call) {
  Word beta = numberOfReal(call.real(2, 1));
  Array scaled = mapWords(call.floats(1), Kind::Float, [beta](Word word) { return multiply(word, beta); });
  return Value(times(call, call.floats(0), sigmoidOf(call, scaled)));
}

/// A function to integers, which stay what they are.
Value roundedRule(Call &call) {
  Array a = call.tensor(0);
  if (a.kind != Kind::Float)
    return Value(a);
  const uint64_t key = keyOf(call, call.base);
  return Value(mapWords(a, Kind::Float, [&](Word word) {
    return isMark(word) || integerOf(word) ? word : call.field->random(key, word);
  }));
}

// logaddexp(self, other): log(exp(self) + exp(other))
Value logOfSumRule(Call &call) {
  Array a = call.floats(0), b = call.floats(1);
  if (llvm::is_contained(*a.words, lowestNumber) || llvm::is_contained(*b.words, lowestNumber)) {
    Value terms(std::vector<Value>{Value(expandedTo(a, broadcastSizes(call, {a, b}))),
                                   Value(expandedTo(b, broadcastSizes(call, {a, b})))});
    return Value(logSumOfLines(call, applied(call, "aten.stack", {terms}), {0}, false));
  }
  Array sum = sumOf(call, exponential(call, a), exponential(call, b));
  return Value(applied(call, "aten.log", {Value(sum)}));
}
// xlogy(self, other): self log(other)
Value timesLogarithmRule(Call &call) {
  Array log = applied(call, "aten.log", {Value(call.floats(1))});
  return Value(times(call, call.floats(0), log));
}
// nan_to_num(self, nan, posinf, neginf)
Value finiteRule(Call &call) {
  Array a = call.floats(0);
  auto number = [&](size_t position, double missing) { return numberOfReal(call.real(position, missing)); };
  constexpr double largest = 3.4028234663852886e38;
  Word of[] = {number(1, 0), number(2, largest), number(3, -largest)};
  return Value(mapWords(a, Kind::Float, [&](Word word) {
    return word == notANumber ? of[0] : word == positiveInfinity ? of[1] : word == negativeInfinity ? of[2] : word;
  }));
}

} // namespace

llvm::ArrayRef<RuleEntry> activationRules() {
  static constexpr RuleEntry rules[] = {
      {"aten._prelu_kernel", preluRule},
      {"aten._prelu_kernel_backward", preluBackwardRule},
      {"aten.acos", unaryRule},
      {"aten.acosh", unaryRule},
      {"aten.asin", unaryRule},
      {"aten.asinh", unaryRule},
      {"aten.atan", unaryRule},
      {"aten.atan2", binaryRule},
      {"aten.atanh", unaryRule},
      {"aten.ceil", roundedRule},
      {"aten.celu", unaryRule},
      {"aten.cosh", unaryRule},
      {"aten.digamma", unaryRule},
      {"aten.elu", unaryRule},
      {"aten.elu_backward", gradientRule<5>},
      {"aten.erfc", unaryRule},
      {"aten.erfinv", unaryRule},
      {"aten.exp2", unaryRule},
      {"aten.floor", roundedRule},
      {"aten.frac", unaryRule},
      {"aten.glu", gluRule},
      {"aten.glu_backward", gluBackwardRule},
      {"aten.hardshrink", unaryRule},
      {"aten.hardshrink_backward", gradientRule<1>},
      {"aten.hardsigmoid", unaryRule},
      {"aten.hardsigmoid_backward", gradientRule<1>},
      {"aten.hardswish", unaryRule},
      {"aten.hardswish_backward", gradientRule<1>},
      {"aten.hardtanh_backward", hardtanhBackwardRule},
      {"aten.hypot", binaryRule},
      {"aten.leaky_relu", leakyReluRule},
      {"aten.leaky_relu_backward", leakyReluBackwardRule},
      {"aten.lgamma", unaryRule},
      {"aten.log10", unaryRule},
      {"aten.log2", unaryRule},
      {"aten.logaddexp", logOfSumRule},
      {"aten.logit", unaryRule},
      {"aten.logit_backward", gradientRule<1>},
      {"aten.mish", unaryRule},
      {"aten.mish_backward", gradientRule<1>},
      {"aten.nan_to_num", finiteRule},
      {"aten.round", roundedRule},
      {"aten.rrelu_with_noise", randomReluRule},
      {"aten.rrelu_with_noise_backward", randomReluBackwardRule},
      {"aten.sinh", unaryRule},
      {"aten.softplus", unaryRule},
      {"aten.softplus_backward", softplusBackwardRule},
      {"aten.softshrink", unaryRule},
      {"aten.softshrink_backward", gradientRule<1>},
      {"aten.tan", unaryRule},
      {"aten.threshold", thresholdRule},
      {"aten.trunc", roundedRule},
      {"aten.xlogy", timesLogarithmRule},
  };
  return rules;
}

} // namespace ccgraph::equality
