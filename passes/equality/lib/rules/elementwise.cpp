// Arithmetic, comparisons and selections, element by element.
#include "map.h"

#include <limits>

namespace ccgraph::equality {
namespace {

Word multiplyIntegers(Word a, Word b) { return a * b; }

/// Both operands in their common kind; a bool counts as an integer.
struct Pair {
  Array a, b;
  Kind kind;
};
Pair pairOf(Call &call, size_t first, size_t second, Kind atLeast = Kind::Integer) {
  Array a = call.tensor(first), b = call.tensor(second);
  Kind kind = std::max(commonKind(a, b), atLeast);
  return {*converted(a, kind), *converted(b, kind), kind};
}

Array product(Call &call, const Array &a, const Array &b) {
  return a.kind == Kind::Float ? productOfFloats(call, a, b) : zipWords(call, a, b, a.kind, multiplyIntegers);
}

/// Returns factor * array, where the factor is a number of the call.
Array scaled(Call &call, const Array &array, size_t factor, int64_t sign = 1) {
  if (array.kind == Kind::Float) {
    Word by = numberOfReal(call.real(factor, 1));
    if (sign < 0)
      by = negate(by);
    if (by == fromPlain(1) || by == negate(fromPlain(1)))
      return by == fromPlain(1) ? array : negated(call, array);
    return mapWords(array, array.kind, [by](Word word) { return multiply(word, by); });
  }
  auto by = static_cast<Word>(call.integer(factor, 1) * sign);
  return mapWords(array, array.kind, [by](Word word) { return word * by; });
}

Kind kindOfSum(const Call &call, size_t factor) {
  return call.at(factor).is(Value::Type::Real) ? Kind::Float : Kind::Integer;
}

Value addRule(Call &call) {
  Pair pair = pairOf(call, 0, 1, kindOfSum(call, 2));
  return Value(sumOf(call, pair.a, scaled(call, pair.b, 2)));
}
Value subtractRule(Call &call) {
  Pair pair = pairOf(call, 0, 1, kindOfSum(call, 2));
  return Value(sumOf(call, pair.a, scaled(call, pair.b, 2, -1)));
}
Value reverseSubtractRule(Call &call) {
  Pair pair = pairOf(call, 0, 1, kindOfSum(call, 2));
  return Value(sumOf(call, pair.b, scaled(call, pair.a, 2, -1)));
}

Value multiplyRule(Call &call) {
  Pair pair = pairOf(call, 0, 1, Kind::Bool);
  if (pair.kind == Kind::Float && pair.a.words == pair.b.words && pair.a.sizes == pair.b.sizes)
    return Value(squaresOf(call, pair.a));
  return Value(product(call, pair.a, pair.b));
}

int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Divides integers by `divide`; 0 for a divisor of 0, which PyTorch leaves undefined.
template <class Divide>
Value divideIntegers(Call &call, Divide divide) {
  Pair pair = pairOf(call, 0, 1);
  if (pair.kind == Kind::Float) {
    call.reject("no rule for the rounded division of floats");
    return {};
  }
  return Value(zipWords(call, pair.a, pair.b, pair.kind, [&](Word a, Word b) {
    auto dividend = static_cast<int64_t>(a), divisor = static_cast<int64_t>(b);
    bool overflows = divisor == -1 && dividend == std::numeric_limits<int64_t>::min();
    return divisor == 0 || overflows ? Word{0} : static_cast<Word>(divide(dividend, divisor));
  }));
}
Value floorDivideRule(Call &call) { return divideIntegers(call, floorDivide); }
Value truncateDivideRule(Call &call) {
  return divideIntegers(call, [](int64_t a, int64_t b) { return a / b; });
}
Value remainderRule(Call &call) {
  return divideIntegers(call, [](int64_t a, int64_t b) { return a - floorDivide(a, b) * b; });
}
Value fmodRule(Call &call) {
  return divideIntegers(call, [](int64_t a, int64_t b) { return a % b; });
}

Array quotient(Call &call, const Array &a, const Array &b) {
  Array inverses = mapWords(b, Kind::Float, [&](Word word) { return call.field->inverse(word); });
  return productOfFloats(call, a, inverses);
}

Value divideRule(Call &call) {
  if (call.at(2).is(Value::Type::Text))
    return call.text(2) == "floor" ? floorDivideRule(call) : truncateDivideRule(call);
  return Value(quotient(call, call.floats(0), call.floats(1)));
}

// self + value * tensor1 * tensor2
Value addProductRule(Call &call) {
  Pair pair = pairOf(call, 1, 2);
  Array base = *converted(call.tensor(0), pair.kind);
  return Value(sumOf(call, base, scaled(call, product(call, pair.a, pair.b), 3)));
}
// a * b + c
Value fusedAddRule(Call &call) {
  Array scaledPart = product(call, call.floats(0), call.floats(1));
  return Value(sumOf(call, scaledPart, call.floats(2)));
}
// self + value * tensor1 / tensor2
Value addQuotientRule(Call &call) {
  return Value(sumOf(call, call.floats(0), scaled(call, quotient(call, call.floats(1), call.floats(2)), 3)));
}
// self + weight * (end - self)
Value interpolateRule(Call &call) {
  Array from = call.floats(0);
  Array step = sumOf(call, call.floats(1), negated(call, from));
  return Value(sumOf(call, from, product(call, step, call.floats(2))));
}

/// Compares in the order of ring numbers, with literals (BoundOrder), or of integers.
template <class Compare>
Value compare(Call &call, Compare holds) {
  Pair pair = pairOf(call, 0, 1);
  if (pair.kind == Kind::Float && call.at(1).isNumber()) {
    BoundOrder order(*call.field, call.real(1, 0), pair.a.digits);
    return Value(
        mapWords(pair.a, Kind::Bool, [&](Word a) -> Word { return holds(uint64_t(order(a) + 1), uint64_t{1}); }));
  }
  if (pair.kind == Kind::Float)
    return Value(zipWords(call, pair.a, pair.b, Kind::Bool,
                          [&](Word a, Word b) -> Word { return holds(orderKey(a), orderKey(b)); }));
  constexpr Word sign = Word{1} << 63;
  return Value(
      zipWords(call, pair.a, pair.b, Kind::Bool, [&](Word a, Word b) -> Word { return holds(a ^ sign, b ^ sign); }));
}
Value equalRule(Call &call) { return compare(call, std::equal_to<>()); }
Value notEqualRule(Call &call) { return compare(call, std::not_equal_to<>()); }
Value lessRule(Call &call) { return compare(call, std::less<>()); }
Value lessEqualRule(Call &call) { return compare(call, std::less_equal<>()); }
Value greaterRule(Call &call) { return compare(call, std::greater<>()); }
Value greaterEqualRule(Call &call) { return compare(call, std::greater_equal<>()); }

Word larger(Word a, Word b) { return orderKey(a) < orderKey(b) ? b : a; }
Word smaller(Word a, Word b) { return orderKey(b) < orderKey(a) ? b : a; }
Word largerInteger(Word a, Word b) {
  return static_cast<Word>(std::max(static_cast<int64_t>(a), static_cast<int64_t>(b)));
}
Word smallerInteger(Word a, Word b) {
  return static_cast<Word>(std::min(static_cast<int64_t>(a), static_cast<int64_t>(b)));
}

Value maximumRule(Call &call) {
  Pair pair = pairOf(call, 0, 1, Kind::Bool);
  return Value(zipWords(call, pair.a, pair.b, pair.kind, pair.kind == Kind::Float ? larger : largerInteger));
}
Value minimumRule(Call &call) {
  Pair pair = pairOf(call, 0, 1, Kind::Bool);
  return Value(zipWords(call, pair.a, pair.b, pair.kind, pair.kind == Kind::Float ? smaller : smallerInteger));
}

// A bound of floats that is a literal selects by a pseudo-random function of the value. With the order of the ring, a
// coefficient that is clipped to 1 would be 1 for half of all seeds, whatever it is computed from.
Value clampBy(Call &call, size_t below, size_t above) {
  Array a = call.tensor(0);
  if (a.kind == Kind::Float && !call.at(below).is(Value::Type::Tensor) && !call.at(above).is(Value::Type::Tensor)) {
    uint64_t key = hashText("clamp");
    for (size_t bound : {below, above})
      key = mix(key, call.has(bound) ? numberOfReal(call.real(bound, 0)) : notANumber);
    return Value(mapWords(a, a.kind, [&](Word word) { return call.field->random(key, word); }));
  }
  for (auto [bound, select] : {std::pair(below, true), std::pair(above, false)})
    if (call.has(bound)) {
      Array limit = *converted(call.tensor(bound), Kind::Float);
      bool isFloat = a.kind == Kind::Float || call.tensor(bound).kind == Kind::Float;
      if (!isFloat)
        limit = call.tensor(bound);
      a = zipWords(call, isFloat ? *converted(a, Kind::Float) : a, limit, isFloat ? Kind::Float : a.kind,
                   isFloat ? (select ? larger : smaller) : (select ? largerInteger : smallerInteger));
    }
  return Value(a);
}
Value clampRule(Call &call) { return clampBy(call, 1, 2); }
// hardtanh(self, min_val, max_val) is a clamp.
Value hardtanhRule(Call &call) { return clampBy(call, 1, 2); }
Value clampMinRule(Call &call) { return clampBy(call, 1, 9); }
Value clampMaxRule(Call &call) { return clampBy(call, 9, 1); }

// A mask may fill with the lowest number of a dtype in place of -inf: exp of both is 0 (ring.h).
Array withLowest(const Array &a) {
  static const Word lowest[] = {numberOfReal(-1.7976931348623157e308), numberOfReal(-3.4028234663852886e38),
                                numberOfReal(-3.3895313892515355e38), numberOfReal(-65504)};
  auto isLowest = [](Word word) { return llvm::is_contained(lowest, word); };
  if (a.kind != Kind::Float || llvm::none_of(*a.words, isLowest))
    return a;
  return mapWords(a, a.kind, [&](Word word) { return isLowest(word) ? lowestNumber : word; });
}

/// Returns where condition holds `a`, else `b`.
Array selected(Call &call, const Array &condition, const Array &a, const Array &b) {
  IntList sizes = broadcastSizes(call, {condition, a, b});
  Kind kind = commonKind(a, b);
  if (call.failed())
    return filled(kind, {}, 0);
  Array mask = expandedTo(condition, sizes);
  Array left = expandedTo(withLowest(*converted(a, kind)), sizes);
  Array right = expandedTo(withLowest(*converted(b, kind)), sizes);
  Words words(mask.words->size());
  for (size_t i = 0; i != words.size(); ++i)
    words[i] = (*mask.words)[i] != 0 ? (*left.words)[i] : (*right.words)[i];
  return makeArray(kind, sizes, std::move(words), std::min(left.digits, right.digits));
}

Value whereRule(Call &call) { return Value(selected(call, call.tensor(0), call.tensor(1), call.tensor(2))); }

Value maskedFillRule(Call &call) {
  Array self = call.tensor(0);
  std::optional<Array> value = converted(call.tensor(2), self.kind);
  call.require(value.has_value(), "the fill value is no integer");
  return call.failed() ? Value() : Value(selected(call, call.tensor(1), *value, self));
}

template <class Function>
Value bitwise(Call &call, Function function) {
  Pair pair = pairOf(call, 0, 1, Kind::Bool);
  call.require(pair.kind != Kind::Float, "a bitwise operation on floats");
  return Value(zipWords(call, pair.a, pair.b, pair.kind, function));
}
Value andRule(Call &call) { return bitwise(call, std::bit_and<>()); }
Value orRule(Call &call) { return bitwise(call, std::bit_or<>()); }
Value xorRule(Call &call) { return bitwise(call, std::bit_xor<>()); }
Value leftShiftRule(Call &call) {
  return bitwise(call, [](Word a, Word b) { return b < 64 ? a << b : 0; });
}
Value rightShiftRule(Call &call) {
  return bitwise(call,
                 [](Word a, Word b) { return static_cast<Word>(static_cast<int64_t>(a) >> std::min<Word>(b, 63)); });
}
Value notRule(Call &call) {
  Array a = call.tensor(0);
  call.require(a.kind != Kind::Float, "a bitwise operation on floats");
  return Value(mapWords(a, a.kind, [&](Word word) { return a.kind == Kind::Bool ? Word{word == 0} : ~word; }));
}

template <class Function>
Value logical(Call &call, Function function) {
  return Value(zipWords(call, *converted(call.tensor(0), Kind::Bool), *converted(call.tensor(1), Kind::Bool),
                        Kind::Bool, function));
}
Value logicalAndRule(Call &call) { return logical(call, std::bit_and<>()); }
Value logicalOrRule(Call &call) { return logical(call, std::bit_or<>()); }
Value logicalXorRule(Call &call) { return logical(call, std::bit_xor<>()); }
Value logicalNotRule(Call &call) {
  return Value(mapWords(call.tensor(0), Kind::Bool, [](Word word) { return Word{word == 0}; }));
}

/// Copies `src` into the sizes of `self`.
Value copyRule(Call &call) {
  Array self = call.tensor(0);
  std::optional<Array> source = converted(call.tensor(1), self.kind);
  call.require(source.has_value(), "the copied numbers are no integers");
  return call.failed() ? Value() : Value(expandedTo(*source, self.sizes));
}

} // namespace

llvm::ArrayRef<RuleEntry> elementwiseRules() {
  static constexpr RuleEntry rules[] = {
      {"aten.__and__", andRule},
      {"aten.__or__", orRule},
      {"aten.__xor__", xorRule},
      {"aten.add", addRule},
      {"aten.addcdiv", addQuotientRule},
      {"aten.addcmul", addProductRule},
      {"aten.bitwise_and", andRule},
      {"aten.bitwise_left_shift", leftShiftRule},
      {"aten.bitwise_not", notRule},
      {"aten.bitwise_or", orRule},
      {"aten.bitwise_right_shift", rightShiftRule},
      {"aten.bitwise_xor", xorRule},
      {"aten.clamp", clampRule},
      {"aten.clamp_max", clampMaxRule},
      {"aten.clamp_min", clampMinRule},
      {"aten.copy", copyRule},
      {"aten.div", divideRule},
      {"aten.eq", equalRule},
      {"aten.floor_divide", floorDivideRule},
      {"aten.fmod", fmodRule},
      {"aten.ge", greaterEqualRule},
      {"aten.gt", greaterRule},
      {"aten.hardtanh", hardtanhRule},
      {"aten.le", lessEqualRule},
      {"aten.lerp", interpolateRule},
      {"aten.logical_and", logicalAndRule},
      {"aten.logical_not", logicalNotRule},
      {"aten.logical_or", logicalOrRule},
      {"aten.logical_xor", logicalXorRule},
      {"aten.lt", lessRule},
      {"aten.masked_fill", maskedFillRule},
      {"aten.maximum", maximumRule},
      {"aten.minimum", minimumRule},
      {"aten.mul", multiplyRule},
      {"aten.ne", notEqualRule},
      {"aten.remainder", remainderRule},
      {"aten.rsub", reverseSubtractRule},
      {"aten.sub", subtractRule},
      {"aten.true_divide", divideRule},
      {"aten.where", whereRule},
      {"prims.fma", fusedAddRule},
  };
  return rules;
}

} // namespace ccgraph::equality
