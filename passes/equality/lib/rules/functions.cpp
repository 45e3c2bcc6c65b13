// Functions of one number. Those that a rewrite takes apart obey their laws (ring.h); the others are pseudo-random
// functions of the exact argument.
#include "angles.h"
#include "map.h"

#include <cmath>

namespace ccgraph::equality {
namespace {

const Word one = fromPlain(1);

template <class Function>
Value mapped(Call &call, Function function) {
  Array a = call.floats(0);
  return Value(mapWords(a, Kind::Float, function));
}

Value randomFunction(Call &call, uint64_t key) {
  return mapped(call, [&, key](Word word) { return call.field->random(key, word); });
}
/// A function that the operator's name alone determines.
Value namedFunction(Call &call) { return randomFunction(call, hashText(call.base)); }

/// `part`: the cosine or the sine.
Value rotationRule(Call &call, Word Rotation::*part) {
  const Array angles = call.floats(0);
  Words words;
  for (const Rotation &rotation : rotationsBy(*call.field, angles))
    words.push_back(rotation.*part);
  return Value(makeArray(Kind::Float, angles.sizes, std::move(words), angles.digits));
}
Value cosineRule(Call &call) { return rotationRule(call, &Rotation::cosine); }
Value sineRule(Call &call) { return rotationRule(call, &Rotation::sine); }

Array plusOne(const Array &a) {
  return mapWords(a, Kind::Float, [](Word word) { return add(word, one); });
}

Value negateRule(Call &call) { return Value(negated(call, call.tensor(0))); }

/// Returns the least power of p in the factors of numbers other than 0.
unsigned leastPower(const Words &numbers, const Words &factors) {
  unsigned least = fullDigits;
  for (size_t i = 0; i != numbers.size() && least != 0; ++i)
    if (numbers[i] != 0)
      least = std::min(least, primePower(factors[i]));
  return least;
}

Array exponential(const Array &a) {
  Array e = mapWords(a, Kind::Float, Field::exponential, std::min<unsigned>(fullDigits, a.digits + 1));
  if (!a.companion)
    return e;
  Words words(*e.words);
  for (size_t i = 0; i != words.size(); ++i)
    words[i] = multiply(words[i], (*a.companion)[i]);
  const unsigned digits = e.digits + leastPower(*e.words, *a.companion);
  return makeArray(Kind::Float, a.sizes, std::move(words), std::min(digits, fullDigits));
}

/// Returns the largest power of p in a number, of those up to `most`. A logarithm of p^k u knows k digits fewer.
unsigned largestPower(const Array &a, unsigned most) {
  unsigned largest = 0;
  for (Word word : *a.words)
    if (const unsigned power = primePower(word); power <= most)
      largest = std::max(largest, power);
  return largest;
}

Array logarithm(Call &call, const Array &a) {
  call.require(a.digits > 0, "more logarithms follow one another than the ring has digits");
  if (call.failed())
    return a;
  // The logarithm of numbers that are all multiples of p, or of which one digit is known, may have no known digit: its
  // exponential is known by the factors alone.
  const bool mayBeUnknown = a.digits == 1 || leastPower(*a.words, *a.words) != 0;
  const unsigned power = largestPower(a, a.digits - (mayBeUnknown ? 1U : 2U));
  Array log = mapWords(
      a, Kind::Float, [&](Word word) { return call.field->logarithm(word, power); }, a.digits - 1U - power);
  Words unity(a.words->size());
  for (size_t i = 0; i != unity.size(); ++i)
    unity[i] = Field::rootOfUnity((*a.words)[i], power);
  log.companion = std::make_shared<const Words>(std::move(unity));
  return log;
}

Value expRule(Call &call) { return Value(exponential(call.floats(0))); }
Value expm1Rule(Call &call) {
  Array e = exponential(call.floats(0));
  return Value(mapWords(e, Kind::Float, [](Word word) { return subtract(word, one); }));
}
Value logRule(Call &call) { return Value(logarithm(call, call.floats(0))); }
Value log1pRule(Call &call) { return Value(logarithm(call, plusOne(call.floats(0)))); }

/// Roots of so few numbers are kept, so that norms of norms are norms.
constexpr int64_t mostNotedRoots = 4096;

Value sqrtRule(Call &call) {
  Array a = call.floats(0);
  const bool notes = a.count() <= mostNotedRoots;
  const unsigned digits = rootDigits(*a.words, a.digits);
  return Value(mapWords(
      a, Kind::Float,
      [&](Word word) {
        Word root = call.field->root(word);
        // A norm may be joined with others of which fewer digits are known.
        for (unsigned known = std::min(2U, digits); notes && !isMark(root) && root != 0 && known <= digits; ++known)
          call.field->noteRoot(truncate(root, known), word);
        return root;
      },
      digits));
}
Value rsqrtRule(Call &call) {
  return mapped(call, [&](Word word) { return call.field->inverse(call.field->root(word)); });
}
Value reciprocalRule(Call &call) {
  return mapped(call, [&](Word word) { return call.field->inverse(word); });
}

bool isNegative(Word word) { return orderKey(word) < orderKey(0); }

Value absRule(Call &call) {
  Array a = call.tensor(0);
  if (a.kind != Kind::Float)
    return Value(mapWords(a, a.kind, [](Word word) { return static_cast<int64_t>(word) < 0 ? 0 - word : word; }));
  return mapped(call, [](Word word) { return isNegative(word) ? negate(word) : word; });
}
Value signRule(Call &call) {
  return mapped(call, [](Word word) { return word == 0 ? 0 : isNegative(word) ? negate(one) : one; });
}
Value reluRule(Call &call) {
  Array a = call.tensor(0);
  if (a.kind != Kind::Float)
    return Value(mapWords(a, a.kind, [](Word word) { return static_cast<int64_t>(word) < 0 ? 0 : word; }));
  return mapped(call, [](Word word) { return isNegative(word) ? 0 : word; });
}

Value squareRule(Call &call) { return Value(squaresOf(call, call.floats(0))); }

/// Returns the power of a number whose square is `square`.
Word integerPower(Call &call, Word word, Word square, int64_t exponent) {
  if (isMark(word))
    return notANumber;
  auto size = static_cast<uint64_t>(std::abs(exponent));
  Word power = size >= 2 ? multiply(powerOf(square, size / 2), size % 2 == 1 ? word : one) : size == 1 ? word : one;
  return exponent < 0 ? call.field->inverse(power) : power;
}

Value powerOfNumber(Call &call, double exponent) {
  Array a = call.tensor(0);
  constexpr double most = 4096;
  bool isWhole = exponent == std::floor(exponent) && std::fabs(exponent) <= most;
  if (a.kind != Kind::Float && isWhole && exponent >= 0 && !call.at(1).is(Value::Type::Real))
    return Value(mapWords(a, Kind::Integer, [&](Word word) {
      Word power = 1;
      for (int64_t i = 0; i != static_cast<int64_t>(exponent); ++i)
        power *= word;
      return power;
    }));
  if (exponent == 2)
    return Value(squaresOf(call, call.floats(0)));
  if (isWhole)
    return mapped(call, [&, square = Squares(*call.field, call.floats(0))](Word word) {
      return integerPower(call, word, square(word), static_cast<int64_t>(exponent));
    });
  double halves = 2 * exponent;
  if (halves == std::floor(halves) && std::fabs(halves) <= most)
    return exponent == 0.5 ? sqrtRule(call) : mapped(call, [&](Word word) {
      return integerPower(call, call.field->root(word), word, static_cast<int64_t>(halves));
    });
  return randomFunction(call, mix(hashText("pow"), numberOfReal(exponent)));
}

/// An exponent that is an integer gives a power, as a literal does; others give a pseudo-random function with
/// b^-e = 1 / b^e.
Word powerOfWords(Call &call, const Squares &square, Word base, Word exponent) {
  if (isMark(exponent) || isMark(base))
    return notANumber;
  constexpr int64_t most = 4096;
  if (std::optional<int64_t> whole = integerOf(exponent); whole && std::abs(*whole) <= most)
    return integerPower(call, base, square(base), *whole);
  if (isNegative(exponent))
    return call.field->inverse(powerOfWords(call, square, base, negate(exponent)));
  return call.field->random(mix(hashText("pow of"), base), exponent);
}

// pow(self, exponent), where one of both may be a number.
Value powRule(Call &call) {
  if (call.at(1).isNumber())
    return powerOfNumber(call, call.real(1, 1));
  Array exponent = call.floats(1), base = call.floats(0);
  const Squares square(*call.field, base);
  return Value(
      zipWords(call, exponent, base, Kind::Float, [&](Word e, Word b) { return powerOfWords(call, square, b, e); }));
}

/// Returns grad * factor(other).
template <class Function>
Value gradientOf(Call &call, Function factor) {
  return Value(zipWords(call, call.floats(0), call.floats(1), Kind::Float,
                        [&](Word grad, Word other) { return multiply(grad, factor(other)); }));
}
Value tanhBackwardRule(Call &call) {
  return gradientOf(call, [](Word y) { return subtract(one, multiply(y, y)); });
}
Value sigmoidBackwardRule(Call &call) {
  return gradientOf(call, [](Word y) { return multiply(y, subtract(one, y)); });
}

// A sigmoid of a difference of logarithms combines parts of a softmax, so there 1 / (1 + exp(-x)) must hold. Elsewhere
// it is a pseudo-random function: all exponentials are 1 modulo p, so that the first digit would not see a difference.
bool isLogarithm(const Array &a) { return a.kind == Kind::Float && a.companion; }
Value sigmoidRule(Call &call) {
  Array a = call.floats(0);
  if (!isLogarithm(a))
    return namedFunction(call);
  Array below = plusOne(exponential(negated(call, a)));
  return Value(mapWords(below, Kind::Float, [&](Word word) { return call.field->inverse(word); }));
}
Array logOfSigmoid(Call &call, const Array &a) {
  if (isLogarithm(a))
    return negated(call, logarithm(call, plusOne(exponential(negated(call, a)))));
  return mapWords(a, Kind::Float, [&](Word word) { return call.field->random(hashText("log_sigmoid"), word); });
}
Value logSigmoidRule(Call &call) { return Value(logOfSigmoid(call, call.floats(0))); }
/// The second result is a buffer of the kernel.
Value logSigmoidForwardRule(Call &call) {
  return Value(std::vector<Value>{logSigmoidRule(call), Value(filled(Kind::Float, {0}, 0))});
}
// log_sigmoid_backward(grad, self, buffer): grad * sigmoid(-self)
Value logSigmoidBackwardRule(Call &call) {
  Call other = call;
  other.base = "aten.sigmoid";
  other.arguments = {Value(negated(call, call.floats(1)))};
  Value factor = sigmoidRule(other);
  return other.failed() ? Value() : Value(zipWords(call, call.floats(0), read(factor.tensor), Kind::Float, multiply));
}

Word sigmoid(const Call &call, Word word) { return call.field->random(hashText("aten.sigmoid"), word); }
Value siluRule(Call &call) {
  return mapped(call, [&](Word word) { return multiply(word, sigmoid(call, word)); });
}
// The derivative of x s(x) is s (1 + x (1 - s)).
Value siluBackwardRule(Call &call) {
  return gradientOf(call, [&](Word x) {
    Word s = sigmoid(call, x);
    return multiply(s, add(one, multiply(x, subtract(one, s))));
  });
}

/// `gelu` and its derivative, for each approximation.
Value geluRule(Call &call) { return randomFunction(call, mix(hashText("gelu"), hashText(call.text(1)))); }
Value geluBackwardRule(Call &call) {
  uint64_t key = mix(hashText("gelu'"), hashText(call.text(2)));
  return gradientOf(call, [&](Word x) { return call.field->random(key, x); });
}

// threshold_backward(grad, result, threshold)
Value thresholdBackwardRule(Call &call) {
  Array x = call.floats(1);
  BoundOrder order(*call.field, call.real(2, 0), x.digits);
  return Value(
      zipWords(call, call.floats(0), x, Kind::Float, [&](Word grad, Word word) { return order(word) > 0 ? grad : 0; }));
}

Value isNotANumberRule(Call &call) {
  Array a = call.tensor(0);
  return Value(mapWords(a, Kind::Bool, [&](Word word) -> Word { return a.kind == Kind::Float && word == notANumber; }));
}

/// A copy, in the kind of the stated result.
Value castRule(Call &call) {
  Array a = call.tensor(0);
  Kind kind = call.resultType ? kindOf(*call.resultType) : a.kind;
  call.require(kind != Kind::Complex, "no rule for a cast of real numbers to complex ones");
  std::optional<Array> cast = converted(a, kind);
  call.require(cast.has_value() || kind == Kind::Complex, "a cast of a float that is no known integer");
  return call.failed() ? Value() : Value(*cast);
}

} // namespace

llvm::ArrayRef<RuleEntry> functionRules() {
  static constexpr RuleEntry rules[] = {
      {"aten._to_copy", castRule},
      {"aten.abs", absRule},
      {"aten.clone", castRule},
      {"aten.conj_physical", castRule},
      {"aten.contiguous", castRule},
      {"aten.cos", cosineRule},
      {"aten.erf", namedFunction},
      {"aten.exp", expRule},
      {"aten.expm1", expm1Rule},
      {"aten.gelu", geluRule},
      {"aten.gelu_backward", geluBackwardRule},
      {"aten.isnan", isNotANumberRule},
      {"aten.lift_fresh_copy", castRule},
      {"aten.log", logRule},
      {"aten.log1p", log1pRule},
      {"aten.log_sigmoid", logSigmoidRule},
      {"aten.log_sigmoid_backward", logSigmoidBackwardRule},
      {"aten.log_sigmoid_forward", logSigmoidForwardRule},
      {"aten.neg", negateRule},
      {"aten.pow", powRule},
      {"aten.real", castRule},
      {"aten.reciprocal", reciprocalRule},
      {"aten.relu", reluRule},
      {"aten.rsqrt", rsqrtRule},
      {"aten.sgn", signRule},
      {"aten.sigmoid", sigmoidRule},
      {"aten.sigmoid_backward", sigmoidBackwardRule},
      {"aten.sign", signRule},
      {"aten.silu", siluRule},
      {"aten.silu_backward", siluBackwardRule},
      {"aten.sin", sineRule},
      {"aten.sqrt", sqrtRule},
      {"aten.square", squareRule},
      {"aten.tanh", namedFunction},
      {"aten.tanh_backward", tanhBackwardRule},
      {"aten.threshold_backward", thresholdBackwardRule},
      {"aten.to", castRule},
      {"prims.convert_element_type", castRule},
      {"prims.device_put", castRule},
  };
  return rules;
}

} // namespace ccgraph::equality
