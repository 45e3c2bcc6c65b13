#include "rules/reductions.h"

#include "ccgraph/ir/strides.h"

#include <cmath>

namespace ccgraph::equality {

IntList withoutDims(IntListRef sizes, IntListRef dims, bool keeps) {
  IntList left;
  for (size_t i = 0; i != sizes.size(); ++i)
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      left.push_back(sizes[i]);
    else if (keeps)
      left.push_back(1);
  return left;
}

int64_t countOf(IntListRef sizes, IntListRef dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count = saturatingMultiply(count, sizes[static_cast<size_t>(dim)]);
  return count;
}

namespace {

/// Folds the elements of the dimensions into words that begin as `start`.
template <class Fold>
Words folded(const Array &array, IntListRef dims, Word start, Fold fold) {
  IntList kept = withoutDims(array.sizes, dims, true);
  IntList strides = contiguousStrides(kept);
  for (int64_t dim : dims)
    strides[static_cast<size_t>(dim)] = 0;
  Words words(static_cast<size_t>(productOf(kept)), start);
  size_t next = 0;
  forEachOffset(array.sizes, strides, 0, [&](int64_t place) {
    Word &word = words[static_cast<size_t>(place)];
    word = fold(word, (*array.words)[next++]);
  });
  return words;
}

Word addIntegers(Word a, Word b) { return a + b; }

Value sumRule(Call &call) {
  Array a = call.tensor(0);
  bool hasDims = call.op->paramIndex("dim") >= 0;
  IntList dims = hasDims ? call.dimensions(1, a.sizes.size()) : allDims(static_cast<int64_t>(a.sizes.size()));
  if (a.kind == Kind::Bool)
    a = *converted(a, Kind::Integer);
  return Value(sumOver(a, dims, hasDims && call.flag(2)));
}

Value meanRule(Call &call) {
  Array a = call.floats(0);
  bool hasDims = call.op->paramIndex("dim") >= 0;
  IntList dims = hasDims ? call.dimensions(1, a.sizes.size()) : allDims(static_cast<int64_t>(a.sizes.size()));
  return Value(meanOver(call, a, dims, hasDims && call.flag(2)));
}

/// The extreme words of a line, and where the first of them is.
struct Extremes {
  Array values;
  Array indices;
};
Extremes extremesAlong(const Array &a, int64_t dim, bool keeps, bool wantsLargest) {
  Axis axis(a.sizes, dim);
  constexpr Word sign = Word{1} << 63;
  auto key = [&](Word word) { return a.kind == Kind::Float ? orderKey(word) : word ^ sign; };
  Words values, indices;
  axis.forEachLine([&](int64_t o, int64_t in) {
    int64_t best = 0;
    for (int64_t i = 1; i < axis.length; ++i) {
      uint64_t mine = key((*a.words)[axis.at(o, i, in)]), other = key((*a.words)[axis.at(o, best, in)]);
      if (wantsLargest ? mine > other : mine < other)
        best = i;
    }
    values.push_back((*a.words)[axis.at(o, best, in)]);
    indices.push_back(static_cast<Word>(best));
  });
  IntList sizes = a.sizes.empty() ? IntList() : withoutDims(a.sizes, {dim}, keeps);
  return {makeArray(a.kind, sizes, std::move(values), a.digits), makeArray(Kind::Integer, sizes, std::move(indices))};
}

/// amax and amin over several dimensions.
Value extremeOver(Call &call, bool wantsLargest) {
  Array a = call.tensor(0);
  IntList dims = call.dimensions(1, a.sizes.size());
  bool keeps = call.flag(2);
  call.require(a.count() != 0, "an extreme of no elements");
  if (call.failed())
    return {};
  IntList sizes = withoutDims(a.sizes, dims, keeps);
  for (int64_t dim : dims)
    a = extremesAlong(a, dim, true, wantsLargest).values;
  return Value(reshaped(a, sizes));
}
Value amaxRule(Call &call) { return extremeOver(call, true); }
Value aminRule(Call &call) { return extremeOver(call, false); }

/// max and min: of all elements, of a dimension with indices, or of two tensors.
Value extremeRule(Call &call, bool wantsLargest) {
  Array a = call.tensor(0);
  if (call.op->paramIndex("other") >= 0) {
    call.base = wantsLargest ? "aten.maximum" : "aten.minimum";
    return evaluateCall(call);
  }
  call.require(a.count() != 0, "an extreme of no elements");
  if (call.failed())
    return {};
  if (call.op->paramIndex("dim") < 0)
    return Value(reshaped(extremesAlong(reshaped(a, {a.count()}), 0, false, wantsLargest).values, {}));
  Extremes extremes = extremesAlong(a, call.dimension(1, a.sizes.size()), call.flag(2), wantsLargest);
  return Value(std::vector<Value>{Value(extremes.values), Value(extremes.indices)});
}
Value maxRule(Call &call) { return extremeRule(call, true); }
Value minRule(Call &call) { return extremeRule(call, false); }

Value extremeIndex(Call &call, bool wantsLargest) {
  Array a = call.tensor(0);
  call.require(a.count() != 0, "an extreme of no elements");
  if (call.failed())
    return {};
  if (!call.has(1))
    return Value(reshaped(extremesAlong(reshaped(a, {a.count()}), 0, false, wantsLargest).indices, {}));
  return Value(extremesAlong(a, call.dimension(1, a.sizes.size()), call.flag(2), wantsLargest).indices);
}
Value argmaxRule(Call &call) { return extremeIndex(call, true); }
Value argminRule(Call &call) { return extremeIndex(call, false); }

/// The mean of squared differences to the mean, and the mean. `correction` is subtracted from the number of elements.
Value varianceRule(Call &call) {
  Array a = call.floats(0);
  auto has = [&](llvm::StringRef name) { return call.op->paramIndex(name) >= 0; };
  auto at = [&](llvm::StringRef name) { return static_cast<size_t>(std::max(0, call.op->paramIndex(name))); };
  bool hasDims = has("dim"), keeps = has("keepdim") && call.flag(at("keepdim"));
  IntList dims = hasDims ? call.dimensions(at("dim"), a.sizes.size()) : allDims(static_cast<int64_t>(a.sizes.size()));
  double correction = has("correction") ? call.real(at("correction"), 1) : call.flag(at("unbiased"), true) ? 1 : 0;
  int64_t count = countOf(a.sizes, dims);
  call.require(correction == std::floor(correction), "no rule for a correction that is no integer");
  Array mean = meanOver(call, a, dims, true);
  Array squares = squaresOf(call, sumOf(call, a, negated(call, mean)));
  Array sum = sumOver(squares, dims, keeps);
  Word share = call.field->inverse(numberOfInteger(count - static_cast<int64_t>(correction)));
  Value variance(mapWords(sum, Kind::Float, [share](Word word) { return multiply(word, share); }));
  if (call.base != "aten.var_mean")
    return variance;
  return Value(std::vector<Value>{variance, Value(reshaped(mean, withoutDims(a.sizes, dims, keeps)))});
}

/// The roots of variances.
Value deviationRule(Call &call) {
  Call spread = call;
  const bool hasMean = call.base == "aten.std_mean";
  spread.base = hasMean ? "aten.var_mean" : "aten.var";
  Value variance = varianceRule(spread);
  Call root = call;
  root.base = "aten.sqrt";
  root.arguments = {hasMean && !spread.failed() ? variance.list.front() : variance};
  if (spread.failed())
    return call.reject(spread.problem), Value();
  Value deviation = evaluateCall(root);
  return hasMean ? Value(std::vector<Value>{deviation, variance.list.back()}) : deviation;
}

/// Multiplies the elements of all or of one dimension.
Value productRule(Call &call) {
  Array a = call.tensor(0);
  if (a.kind == Kind::Bool)
    a = *converted(a, Kind::Integer);
  bool hasDim = call.op->paramIndex("dim") >= 0;
  IntList dims = hasDim ? IntList{call.dimension(1, a.sizes.size())} : allDims(static_cast<int64_t>(a.sizes.size()));
  if (a.sizes.empty() || call.failed())
    return Value(a);
  const bool isFloat = a.kind == Kind::Float;
  Words words = folded(a, dims, isFloat ? fromPlain(1) : 1,
                       [isFloat](Word x, Word y) { return isFloat ? multiply(x, y) : x * y; });
  return Value(makeArray(a.kind, withoutDims(a.sizes, dims, hasDim && call.flag(2)), std::move(words), a.digits));
}

Value truthOver(Call &call, bool start) {
  Array a = *converted(call.tensor(0), Kind::Bool);
  bool hasDims = call.op->paramIndex("dim") >= 0;
  IntList dims = hasDims ? call.dimensions(1, a.sizes.size()) : allDims(static_cast<int64_t>(a.sizes.size()));
  Words words = folded(a, dims, Word{start}, [start](Word x, Word y) { return start ? x & y : x | y; });
  return Value(makeArray(Kind::Bool, withoutDims(a.sizes, dims, hasDims && call.flag(2)), std::move(words)));
}
Value allRule(Call &call) { return truthOver(call, true); }
Value anyRule(Call &call) { return truthOver(call, false); }

Value absolutesOf(Call &call, const Array &a) {
  Call other = call;
  other.base = "aten.abs";
  other.arguments = {Value(a)};
  return evaluateCall(other);
}

// Norms of order 2 (the root of the sum of squares), 1 (the sum of absolutes) and inf (the largest absolute).
Value vectorNormRule(Call &call) {
  Array a = call.floats(0);
  bool isVectorNorm = call.base == "aten.linalg_vector_norm";
  const double order = call.real(1, 2);
  call.require(order == 2 || order == 1 || std::isinf(order), "no rule for norms of an order other than 1, 2 and inf");
  IntList dims = call.dimensions(2, a.sizes.size());
  bool keeps = call.flag(3) && (isVectorNorm || call.has(2));
  if (call.failed())
    return {};
  if (order != 2)
    a = read(absolutesOf(call, a).tensor);
  if (order == 1)
    return Value(sumOver(a, dims, keeps));
  if (order != 2) {
    call.require(a.count() != 0, "an extreme of no elements");
    IntList sizes = withoutDims(a.sizes, dims, keeps);
    for (int64_t dim : dims)
      a = call.failed() ? a : extremesAlong(a, dim, true, order > 0).values;
    return call.failed() ? Value() : Value(reshaped(a, sizes));
  }
  Array squares = squaresOf(call, a);
  Call root = call;
  root.base = "aten.sqrt";
  root.arguments = {Value(sumOver(squares, dims, keeps))};
  return evaluateCall(root);
}

} // namespace

Array sumOver(const Array &array, IntListRef dims, bool keeps) {
  Words words = folded(array, dims, 0, array.kind == Kind::Float ? add : addIntegers);
  return makeArray(array.kind, withoutDims(array.sizes, dims, keeps), std::move(words), array.digits);
}

Array meanOver(Call &call, const Array &array, IntListRef dims, bool keeps) {
  Array sum = sumOver(array, dims, keeps);
  Word share = call.field->inverse(numberOfInteger(countOf(array.sizes, dims)));
  return mapWords(sum, sum.kind, [share](Word word) { return multiply(word, share); });
}

llvm::ArrayRef<RuleEntry> reductionRules() {
  static constexpr RuleEntry rules[] = {
      {"aten.all", allRule},
      {"aten.amax", amaxRule},
      {"aten.amin", aminRule},
      {"aten.any", anyRule},
      {"aten.argmax", argmaxRule},
      {"aten.argmin", argminRule},
      {"aten.linalg_vector_norm", vectorNormRule},
      {"aten.max", maxRule},
      {"aten.mean", meanRule},
      {"aten.min", minRule},
      {"aten.norm", vectorNormRule},
      {"aten.prod", productRule},
      {"aten.std", deviationRule},
      {"aten.std_mean", deviationRule},
      {"aten.sum", sumRule},
      {"aten.var", varianceRule},
      {"aten.var_mean", varianceRule},
  };
  return rules;
}

} // namespace ccgraph::equality
