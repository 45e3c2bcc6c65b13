// Orders of elements: sort, topk, and what a router computes from them. Floats are compared in the order of the ring
// (ring.h), and equal elements stay in their order.
#include "axis.h"
#include "map.h"

#include <numeric>

namespace ccgraph::equality {
namespace {

/// Returns keys in the order of the elements.
std::vector<uint64_t> keysOf(const Array &a) {
  constexpr Word sign = Word{1} << 63;
  std::vector<uint64_t> keys;
  for (Word word : *a.words)
    keys.push_back(a.kind == Kind::Float ? orderKey(word) : word ^ sign);
  return keys;
}

struct Order {
  int64_t dim = 0;
  /// how many elements of each line are kept
  int64_t count = 0;
  bool isDescending = false;
};

/// Returns the first elements of each line in their order, and their places.
Value ordered(Call &call, const Order &order) {
  Array a = call.tensor(0);
  Axis axis(a.sizes, order.dim);
  call.require(order.count >= 0 && order.count <= axis.length,
               llvm::Twine(order.count) + " elements of a dimension of " + llvm::Twine(axis.length));
  if (call.failed())
    return {};
  IntList sizes = a.sizes;
  if (!sizes.empty())
    sizes[static_cast<size_t>(order.dim)] = order.count;
  Axis kept(sizes, order.dim);
  std::vector<uint64_t> keys = keysOf(a);
  Words values(static_cast<size_t>(kept.outer * kept.length * kept.inner)), indices(values.size());
  std::vector<int64_t> line(static_cast<size_t>(axis.length));
  axis.forEachLine([&](int64_t o, int64_t in) {
    std::iota(line.begin(), line.end(), 0);
    llvm::stable_sort(line, [&](int64_t x, int64_t y) {
      uint64_t left = keys[axis.at(o, x, in)], right = keys[axis.at(o, y, in)];
      return order.isDescending ? left > right : left < right;
    });
    for (int64_t i = 0; i != kept.length; ++i) {
      int64_t from = line[static_cast<size_t>(i)];
      values[kept.at(o, i, in)] = (*a.words)[axis.at(o, from, in)];
      indices[kept.at(o, i, in)] = static_cast<Word>(from);
    }
  });
  return Value(std::vector<Value>{Value(makeArray(a.kind, sizes, std::move(values), a.digits)),
                                  Value(makeArray(Kind::Integer, sizes, std::move(indices)))});
}

/// Reads the parameters `dim` and `descending`, whose places differ between overloads.
Value sortRule(Call &call) {
  Tensor tensor = call.view(0);
  auto at = [&](llvm::StringRef name) { return static_cast<size_t>(std::max(0, call.op->paramIndex(name))); };
  int64_t dim = call.dimension(at("dim"), tensor.sizes.size(), -1);
  int64_t length = tensor.sizes.empty() ? 1 : tensor.sizes[static_cast<size_t>(dim)];
  return ordered(call, {dim, length, call.flag(at("descending"))});
}
Value argsortRule(Call &call) {
  Value both = sortRule(call);
  return call.failed() ? Value() : both.list[1];
}
// topk(self, k, dim, largest, sorted)
Value topkRule(Call &call) {
  int64_t dim = call.dimension(2, call.view(0).sizes.size(), -1);
  return ordered(call, {dim, call.integer(1), call.flag(3, true)});
}

// repeat_interleave.Tensor(repeats): i, repeats[i] times
Value repeatedIndices(Call &call) {
  Array repeats = call.tensor(0);
  constexpr int64_t most = int64_t{1} << 32;
  Words words;
  for (int64_t i = 0; i != repeats.count() && !call.failed(); ++i) {
    call.require(repeats.kind == Kind::Integer && repeats.integer(i) >= 0 && repeats.integer(i) <= most,
                 "repetitions that are no counts");
    if (!call.failed())
      words.insert(words.end(), static_cast<size_t>(repeats.integer(i)), static_cast<Word>(i));
  }
  auto count = static_cast<int64_t>(words.size());
  return Value(makeArray(Kind::Integer, {count}, std::move(words)));
}
// repeat_interleave(self, repeats, dim), where repeats is a number or one count for each row
Value repeatRule(Call &call) {
  if (call.op->paramIndex("self") < 0)
    return repeatedIndices(call);
  Array self = call.tensor(0);
  call.require(call.has(2), "no rule for repetitions of all elements");
  auto dim = call.dimension(2, self.sizes.size());
  int64_t length = self.sizes.empty() ? 1 : self.sizes[static_cast<size_t>(dim)];
  Call counts = call;
  if (!call.at(1).is(Value::Type::Tensor))
    counts.arguments[1] = Value(filled(Kind::Integer, {length}, static_cast<Word>(call.integer(1))));
  call.require(counts.tensor(1).count() == length, "repetitions of another length than the dimension");
  counts.arguments = {counts.at(1)};
  Value indices = repeatedIndices(counts);
  if (counts.failed())
    call.reject(counts.problem);
  if (call.failed())
    return {};
  call.base = "aten.index_select";
  call.arguments = {Value(self), Value::ofInteger(dim), indices};
  return evaluateCall(call);
}

/// Counts integers from `first` on in ranges of one integer each.
Value counted(Call &call, int64_t first, int64_t bins, Kind kind) {
  Array self = call.tensor(0);
  constexpr int64_t most = int64_t{1} << 32;
  call.require(self.kind != Kind::Float && bins >= 0 && bins <= most, "no rule for a histogram of floats");
  if (call.failed())
    return {};
  Words words(static_cast<size_t>(bins), 0);
  for (int64_t i = 0; i != self.count(); ++i)
    if (int64_t bin = self.integer(i) - first; bin >= 0 && bin < bins)
      ++words[static_cast<size_t>(bin)];
  Array counts = makeArray(Kind::Integer, {bins}, std::move(words));
  return Value(*converted(counts, kind));
}
// bincount(self, weights, minlength)
Value bincountRule(Call &call) {
  Array self = call.tensor(0);
  call.require(!call.has(1), "no rule for weighted counts");
  int64_t bins = call.integer(2, 0);
  for (int64_t i = 0; i != self.count() && self.kind != Kind::Float; ++i)
    bins = std::max(bins, self.integer(i) + 1);
  return counted(call, 0, bins, Kind::Integer);
}
// histc(self, bins, min, max), where each bin is one integer: the last one includes max
Value histogramRule(Call &call) {
  int64_t bins = call.integer(1, 100);
  auto first = static_cast<int64_t>(call.real(2, 0)), last = static_cast<int64_t>(call.real(3, 0));
  call.require(last > first && (last - first == bins || last - first + 1 == bins),
               "no rule for bins that are no integers");
  Kind kind = call.tensor(0).kind;
  std::optional<Array> integers = converted(call.tensor(0), Kind::Integer);
  call.require(integers.has_value(), "no rule for a histogram of floats");
  if (call.failed())
    return {};
  for (int64_t i = 0; i != integers->count() && last - first == bins; ++i)
    call.require(integers->integer(i) != last, "no rule for a bin of two integers");
  call.arguments[0] = Value(*integers);
  return counted(call, first, bins, kind);
}

} // namespace

llvm::ArrayRef<RuleEntry> sortingRules() {
  static constexpr RuleEntry rules[] = {
      {"aten.argsort", argsortRule},          {"aten.bincount", bincountRule}, {"aten.histc", histogramRule},
      {"aten.repeat_interleave", repeatRule}, {"aten.sort", sortRule},         {"aten.topk", topkRule},
  };
  return rules;
}

} // namespace ccgraph::equality
