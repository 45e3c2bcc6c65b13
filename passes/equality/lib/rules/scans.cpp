// Scans along a dimension, and what is chosen from an order: cumulative products and extremes, medians, buckets.
#include "axis.h"
#include "rules/compose.h"

namespace ccgraph::equality {
namespace {

/// Returns keys in the order of the elements.
uint64_t keyOfElement(const Array &a, size_t at) {
  return a.kind == Kind::Float ? orderKey((*a.words)[at]) : (*a.words)[at] ^ (Word{1} << 63);
}

/// cumsum(self, dim) and cumprod(self, dim): `join` adds or multiplies, and gets whether the elements are floats.
Value runningTotal(Call &call, Word (*join)(bool isFloat, Word before, Word word)) {
  Array a = call.tensor(0);
  if (a.kind == Kind::Bool)
    a = *converted(a, Kind::Integer);
  Axis axis(a.sizes, call.dimension(1, a.sizes.size()));
  Words words(*a.words);
  axis.forEachLine([&](int64_t o, int64_t in) {
    for (int64_t i = 1; i < axis.length; ++i)
      words[axis.at(o, i, in)] = join(a.kind == Kind::Float, words[axis.at(o, i - 1, in)], words[axis.at(o, i, in)]);
  });
  return Value(makeArray(a.kind, a.sizes, std::move(words), a.digits));
}

Value cumulativeSumRule(Call &call) {
  return runningTotal(call, [](bool isFloat, Word x, Word y) { return isFloat ? add(x, y) : x + y; });
}
Value cumulativeProductRule(Call &call) {
  return runningTotal(call, [](bool isFloat, Word x, Word y) { return isFloat ? multiply(x, y) : x * y; });
}

/// cummax and cummin: the last of equal extremes, as PyTorch has it.
Value cumulativeExtreme(Call &call, bool wantsLargest) {
  Array a = call.tensor(0);
  Axis axis(a.sizes, call.dimension(1, a.sizes.size()));
  Words values(*a.words), places(a.words->size(), 0);
  axis.forEachLine([&](int64_t o, int64_t in) {
    int64_t best = 0;
    for (int64_t i = 0; i < axis.length; ++i) {
      uint64_t mine = keyOfElement(a, axis.at(o, i, in)), other = keyOfElement(a, axis.at(o, best, in));
      if (wantsLargest ? mine >= other : mine <= other)
        best = i;
      values[axis.at(o, i, in)] = (*a.words)[axis.at(o, best, in)];
      places[axis.at(o, i, in)] = static_cast<Word>(best);
    }
  });
  return Value(std::vector<Value>{Value(makeArray(a.kind, a.sizes, std::move(values), a.digits)),
                                  Value(makeArray(Kind::Integer, a.sizes, std::move(places)))});
}
Value cummaxRule(Call &call) { return cumulativeExtreme(call, true); }
Value cumminRule(Call &call) { return cumulativeExtreme(call, false); }

// logcumsumexp(self, dim): log(cumsum(exp(self)))
Value cumulativeLogarithmRule(Call &call) {
  Array e = exponential(call, call.floats(0));
  return Value(applied(call, "aten.log", {Value(applied(call, "aten.cumsum", {Value(e), call.at(1)}))}));
}

// count_nonzero(self, dim)
Value countNonzeroRule(Call &call) {
  Array held = *converted(call.tensor(0), Kind::Bool);
  Array integers = *converted(held, Kind::Integer);
  if (!call.has(1))
    return Value(applied(call, "aten.sum", {Value(reshaped(integers, {integers.count()}))}));
  IntList dims = call.dimensions(1, integers.sizes.size());
  for (size_t i = dims.size(); i-- > 0 && !call.failed();) {
    Axis axis(integers.sizes, dims[i]);
    Words sums(static_cast<size_t>(axis.outer * axis.inner), 0);
    axis.forEachLine([&](int64_t o, int64_t in) {
      for (int64_t at = 0; at != axis.length; ++at)
        sums[static_cast<size_t>(o * axis.inner + in)] += (*integers.words)[axis.at(o, at, in)];
    });
    integers = makeArray(Kind::Integer, withoutDims(integers.sizes, {dims[i]}, false), std::move(sums));
  }
  return Value(integers);
}

/// Element `k` of the sorted lines, with its place.
Value sortedElement(Call &call, int64_t k, int64_t dim, bool keeps) {
  Array a = call.tensor(0);
  Axis axis(a.sizes, dim);
  call.require(k >= 0 && k < axis.length, "an element of a shorter line");
  if (call.failed())
    return {};
  Words values, places;
  std::vector<int64_t> line;
  axis.forEachLine([&](int64_t o, int64_t in) {
    line.clear();
    for (int64_t i = 0; i != axis.length; ++i)
      line.push_back(i);
    llvm::stable_sort(line, [&](int64_t x, int64_t y) {
      return keyOfElement(a, axis.at(o, x, in)) < keyOfElement(a, axis.at(o, y, in));
    });
    int64_t from = line[static_cast<size_t>(k)];
    values.push_back((*a.words)[axis.at(o, from, in)]);
    places.push_back(static_cast<Word>(from));
  });
  IntList sizes = a.sizes.empty() ? IntList() : withoutDims(a.sizes, {dim}, keeps);
  return Value(std::vector<Value>{Value(makeArray(a.kind, sizes, std::move(values), a.digits)),
                                  Value(makeArray(Kind::Integer, sizes, std::move(places)))});
}
// median(self) and median(self, dim, keepdim): the lower one of two
Value medianRule(Call &call) {
  Array a = call.tensor(0);
  if (call.op->paramIndex("dim") < 0) {
    call.arguments = {Value(reshaped(a, {a.count()}))};
    Value both = sortedElement(call, (a.count() - 1) / 2, 0, false);
    return call.failed() ? Value() : both.list.front();
  }
  int64_t dim = call.dimension(1, a.sizes.size());
  return sortedElement(call, (Axis(a.sizes, dim).length - 1) / 2, dim, call.flag(2));
}
// kthvalue(self, k, dim, keepdim)
Value kthValueRule(Call &call) {
  int64_t dim = call.dimension(2, call.view(0).sizes.size(), -1);
  return sortedElement(call, call.integer(1, 1) - 1, dim, call.flag(3));
}

/// For each value, how many elements of its sorted line are below it; with `right`, below or equal.
Value placesInOrder(Call &call, const Array &sorted, const Array &values, bool right) {
  const Kind kind = commonKind(sorted, values);
  Array line = *converted(sorted, kind), given = *converted(values, kind);
  const int64_t length = line.sizes.empty() ? 0 : line.sizes.back();
  const bool isOne = line.sizes.size() == 1;
  const int64_t each = isOne || given.sizes.empty() ? 0 : given.sizes.back();
  call.require(isOne || (given.sizes.size() == line.sizes.size() && each > 0), "buckets of other sizes");
  if (call.failed())
    return {};
  Words words;
  for (int64_t i = 0; i != given.count(); ++i) {
    const int64_t begin = isOne ? 0 : i / each * length;
    uint64_t mine = keyOfElement(given, static_cast<size_t>(i));
    Word below = 0;
    for (int64_t at = 0; at != length; ++at) {
      uint64_t other = keyOfElement(line, static_cast<size_t>(begin + at));
      below += right ? other <= mine : other < mine;
    }
    words.push_back(below);
  }
  return Value(makeArray(Kind::Integer, given.sizes, std::move(words)));
}
bool countsEqual(Call &call) {
  auto at = [&](llvm::StringRef name) { return call.op->paramIndex(name); };
  bool right = at("right") >= 0 && call.flag(static_cast<size_t>(at("right")));
  return right || (at("side") >= 0 && call.text(static_cast<size_t>(at("side"))) == "right");
}
// searchsorted(sorted_sequence, self, out_int32, right, side, sorter)
Value searchRule(Call &call) {
  int sorter = call.op->paramIndex("sorter");
  call.require(sorter < 0 || !call.has(static_cast<size_t>(sorter)), "no rule for an order that is given apart");
  Array sorted = call.tensor(0), values = call.tensor(1);
  return call.failed() ? Value() : placesInOrder(call, sorted, values, countsEqual(call));
}
// bucketize(self, boundaries, out_int32, right)
Value bucketizeRule(Call &call) {
  Array values = call.tensor(0), sorted = call.tensor(1);
  return call.failed() ? Value() : placesInOrder(call, sorted, values, countsEqual(call));
}

} // namespace

llvm::ArrayRef<RuleEntry> scanRules() {
  static constexpr RuleEntry rules[] = {
      {"aten._logcumsumexp", cumulativeLogarithmRule},
      {"aten.bucketize", bucketizeRule},
      {"aten.count_nonzero", countNonzeroRule},
      {"aten.cummax", cummaxRule},
      {"aten.cummin", cumminRule},
      {"aten.cumprod", cumulativeProductRule},
      {"aten.cumsum", cumulativeSumRule},
      {"aten.kthvalue", kthValueRule},
      {"aten.logcumsumexp", cumulativeLogarithmRule},
      {"aten.median", medianRule},
      {"aten.searchsorted", searchRule},
  };
  return rules;
}

} // namespace ccgraph::equality
