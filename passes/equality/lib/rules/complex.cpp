// Elements of two words. Complex numbers are pairs of floats: a function that is linear in its tensors, or moves
// elements, is applied to the real parts and to the imaginary parts; a product is taken apart. No other operator
// accepts complex numbers. Where logarithms are moved, their roots of unity (ring.h) are moved alike.
#include "rules/compose.h"

namespace ccgraph::equality {
namespace {

bool isComplex(const Value &value) {
  if (value.is(Value::Type::Tensor))
    return value.tensor.kind() == Kind::Complex;
  return llvm::any_of(value.list, [](const Value &element) { return isComplex(element); });
}

/// Returns one part of a value. A real tensor or number is its own real part, and its imaginary part is 0 where the
/// operator adds; indices and masks stay.
Value partOfValue(const Value &value, bool isImaginary, bool adds) {
  Value part = value;
  for (Value &element : part.list)
    element = partOfValue(element, isImaginary, adds);
  if (value.is(Value::Type::Tensor) && (value.tensor.kind() == Kind::Complex || (adds && isImaginary))) {
    Array whole = read(value.tensor);
    if (whole.kind >= Kind::Float)
      part = Value(isImaginary ? imaginaryPart(whole) : realPart(whole));
  }
  if (adds && isImaginary && value.is(Value::Type::Real))
    part.real = 0;
  return part;
}

/// Applies the operator to the real parts, then to the imaginary parts, and joins both results.
Value byParts(Call &call, bool adds) {
  Value parts[2];
  for (bool isImaginary : {false, true}) {
    Call part = call;
    part.resultType.reset();
    for (Value &argument : part.arguments)
      argument = partOfValue(argument, isImaginary, adds);
    parts[isImaginary] = evaluateCall(part);
    if (part.failed())
      return call.reject(part.problem), Value();
  }
  if (!parts[0].is(Value::Type::Tensor))
    return call.reject("no rule for complex numbers in " + llvm::Twine(call.base)), Value();
  return Value(complexArray(read(parts[0].tensor), read(parts[1].tensor)));
}

Array partOfArgument(Call &call, size_t position, bool isImaginary) {
  Tensor tensor = call.view(position);
  if (tensor.kind() == Kind::Complex)
    return isImaginary ? imaginaryPart(read(tensor)) : realPart(read(tensor));
  Array real = *converted(read(tensor), Kind::Float);
  return isImaginary ? filled(Kind::Float, real.sizes, 0) : real;
}

// (a + bi)(c + di) = (ac - bd) + (ad + bc)i
Value product(Call &call) {
  Array a = partOfArgument(call, 0, false), b = partOfArgument(call, 0, true);
  Array c = partOfArgument(call, 1, false), d = partOfArgument(call, 1, true);
  Array real = minus(call, times(call, a, c), times(call, b, d));
  Array imaginary = sumOf(call, times(call, a, d), times(call, b, c));
  return call.failed() ? Value() : Value(complexArray(real, imaginary));
}

Value conjugate(Call &call) {
  return Value(complexArray(partOfArgument(call, 0, false), negated(call, partOfArgument(call, 0, true))));
}

bool isOneOf(llvm::StringRef base, std::initializer_list<llvm::StringRef> names) {
  return llvm::is_contained(names, base);
}

bool movesElements(llvm::StringRef base) {
  return isOneOf(base, {"aten._to_copy", "aten.cat", "aten.clone", "aten.constant_pad_nd", "aten.contiguous",
                        "aten.copy", "aten.gather", "aten.index", "aten.index_select", "aten.select_backward",
                        "aten.slice_backward", "aten.slice_scatter", "aten.stack", "aten.to", "aten.tril", "aten.triu",
                        "aten.where", "aten.zeros_like"});
}
bool isLinear(llvm::StringRef base) {
  return isOneOf(base, {"aten.add", "aten.cumsum", "aten.index_put", "aten.mean", "aten.neg", "aten.rsub",
                        "aten.scatter_add", "aten.sub", "aten.sum"});
}

Array pairs(Call &call, size_t position) {
  Array array = call.floats(position);
  call.require(!array.sizes.empty() && array.sizes.back() == 2, "pairs of sizes " + intListText(array.sizes));
  return array;
}
Value fromPairsRule(Call &call) {
  Array array = pairs(call, 0);
  return call.failed() ? Value() : Value(fromPairs(array));
}
Value joinRule(Call &call) {
  Array real = call.floats(0), imaginary = call.floats(1);
  IntList sizes = broadcastSizes(call, {real, imaginary});
  return call.failed() ? Value() : Value(complexArray(expandedTo(real, sizes), expandedTo(imaginary, sizes)));
}
// r cos(a) + r sin(a) i
Value polarRule(Call &call) {
  Array cosine = applied(call, "aten.cos", {call.at(1)}), sine = applied(call, "aten.sin", {call.at(1)});
  Array radius = call.floats(0);
  Array real = times(call, radius, cosine), imaginary = times(call, radius, sine);
  return call.failed() ? Value() : Value(complexArray(real, imaginary));
}

bool isLogarithm(const Value &value) {
  if (value.is(Value::Type::Tensor))
    return value.tensor.kind() == Kind::Float && value.tensor.storage->companion;
  return llvm::any_of(value.list, [](const Value &element) { return isLogarithm(element); });
}

/// Replaces floats by their roots of unity.
Value rootsOfValue(const Value &value) {
  Value roots = value;
  for (Value &element : roots.list)
    element = rootsOfValue(element);
  if (value.is(Value::Type::Tensor) && value.tensor.kind() == Kind::Float) {
    Array array = read(value.tensor);
    roots = Value(array.companion ? Array{Kind::Float, fullDigits, array.sizes, array.companion}
                                  : filled(Kind::Float, array.sizes, fromPlain(1)));
  }
  if (value.is(Value::Type::Real))
    roots.real = 1;
  return roots;
}

} // namespace

bool movesLogarithms(const Call &call) {
  return isOneOf(call.base, {"aten.cat", "aten.constant_pad_nd", "aten.copy", "aten.gather", "aten.index",
                             "aten.index_put", "aten.index_select", "aten.masked_fill", "aten.repeat", "aten.scatter",
                             "aten.select_scatter", "aten.slice_scatter", "aten.stack", "aten.where"}) &&
         !hasComplexArgument(call) && llvm::any_of(call.arguments, isLogarithm) &&
         !(call.base == "aten.index_put" && call.at(3).integer != 0);
}

Value evaluateMoved(Call &call, Rule rule) {
  Call roots = call;
  for (Value &argument : roots.arguments)
    argument = rootsOfValue(argument);
  Value moved = rule(call), rootsMoved = rule(roots);
  if (call.failed() || roots.failed() || !moved.is(Value::Type::Tensor))
    return moved;
  Array array = read(moved.tensor);
  array.companion = read(rootsMoved.tensor).words;
  return Value(array);
}

bool hasComplexArgument(const Call &call) { return llvm::any_of(call.arguments, isComplex); }

Value evaluateComplex(Call &call) {
  llvm::StringRef base = call.base;
  if (const RuleEntry *entry = findRule(base); entry && entry->isView)
    return entry->rule(call);
  if (base == "aten.view_as_real")
    return Value(asPairs(read(call.view(0))));
  if (isOneOf(base, {"aten._conj", "aten._conj_physical", "aten.conj"}))
    return conjugate(call);
  if (base == "aten.mul")
    return product(call);
  if (isOneOf(base, {"aten.real", "aten.imag"}))
    return Value(partOfArgument(call, 0, base == "aten.imag"));
  if (movesElements(base) || isLinear(base))
    return byParts(call, isLinear(base) || base == "aten.cat" || base == "aten.where");
  call.reject("no rule for complex numbers in " + llvm::Twine(base));
  return {};
}

llvm::ArrayRef<RuleEntry> complexRules() {
  static constexpr RuleEntry rules[] = {
      {"aten.complex", joinRule},
      {"aten.polar", polarRule},
      {"aten.view_as_complex", fromPairsRule},
  };
  return rules;
}

} // namespace ccgraph::equality
