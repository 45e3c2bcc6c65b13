// Embedding bags: sums, means or maxima of the rows of a table that the indices of a bag select. Bag b has the indices
// from offsets[b] up to offsets[b + 1]; an index that is the padding index selects nothing.
//
// Offsets that are an input are drawn like any other integers. They are sorted, and the first is 0, before they are
// used: this is the identity for the offsets of a program that PyTorch accepts.
#include "map.h"
#include "rules/places.h"

#include <map>

namespace ccgraph::equality {
namespace {

enum Mode : int64_t { SumMode = 0, MeanMode = 1, MaxMode = 2 };

struct Bags {
  Array weight, indices;
  /// the bag of each index
  std::vector<int64_t> bagOf;
  int64_t count = 0;
  int64_t mode = SumMode;
  int64_t padding = -1;
  /// of each index, or empty: 1 for all
  Words weights;
  unsigned digits = fullDigits;

  [[nodiscard]] bool skips(int64_t i) const { return indices.integer(i) == padding; }
  /// of each bag, as a gradient gets them, or empty: as counted
  Words givenSizes;

  /// The number of indices of each bag that are no padding.
  [[nodiscard]] Words bagSizes() const {
    if (!givenSizes.empty())
      return givenSizes;
    Words sizes(static_cast<size_t>(count), 0);
    for (int64_t i = 0; i != indices.count(); ++i)
      sizes[static_cast<size_t>(bagOf[static_cast<size_t>(i)])] += skips(i) ? 0 : 1;
    return sizes;
  }
  [[nodiscard]] Word weightOf(int64_t i) const {
    return weights.empty() ? fromPlain(1) : weights[static_cast<size_t>(i)];
  }
};

/// Returns the bag of each of `length` indices. `hasEnd`: the last offset is the number of indices, not a bag.
std::vector<int64_t> bagsOfOffsets(const Array &offsets, int64_t length, bool hasEnd) {
  std::vector<int64_t> starts;
  for (int64_t i = 0; i + (hasEnd ? 1 : 0) < offsets.count(); ++i)
    starts.push_back(offsets.integer(i));
  llvm::sort(starts);
  std::vector<int64_t> bags;
  for (int64_t i = 0; i != length; ++i)
    bags.push_back(std::max<int64_t>(0, llvm::upper_bound(starts, i) - starts.begin() - 1));
  return bags;
}

Words weightsOf(Call &call, size_t position, const Array &indices) {
  if (!call.has(position))
    return {};
  Array weights = call.floats(position);
  call.require(weights.count() == indices.count(), "weights of other sizes than their indices");
  return *weights.words;
}

/// The factor of what index `i` contributes to its bag, or takes from its gradient.
Words factorsOf(Call &call, const Bags &bags) {
  const Words sizes = bags.bagSizes();
  Words factors;
  for (int64_t i = 0; i != bags.indices.count(); ++i) {
    const Word size = sizes[static_cast<size_t>(bags.bagOf[static_cast<size_t>(i)])];
    Word factor = bags.skips(i) ? 0 : bags.weightOf(i);
    if (bags.mode == MeanMode && size > 1)
      factor = multiply(factor, call.field->inverse(numberOfInteger(static_cast<int64_t>(size))));
    factors.push_back(factor);
  }
  return factors;
}

Array sumsOfBags(Call &call, const Bags &bags) {
  const int64_t width = bags.weight.sizes[1];
  const Words factors = factorsOf(call, bags);
  Words sums(static_cast<size_t>(bags.count * width), 0);
  for (int64_t i = 0; i != bags.indices.count() && !call.failed(); ++i) {
    if (bags.skips(i))
      continue;
    const int64_t row = indexOf(call, bags.indices.integer(i), bags.weight.sizes[0]);
    const int64_t bag = bags.bagOf[static_cast<size_t>(i)];
    for (int64_t j = 0; j != width && !call.failed(); ++j) {
      Word &sum = sums[static_cast<size_t>(bag * width + j)];
      sum = add(sum, multiply(factors[static_cast<size_t>(i)], bags.weight[row * width + j]));
    }
  }
  return makeArray(Kind::Float, {bags.count, width}, std::move(sums), bags.digits);
}

struct Maxima {
  Array values;
  /// the row that each maximum is from; -1 for that of an empty bag, which is 0
  Array rows;
};
Maxima maximaOfBags(Call &call, const Bags &bags) {
  const int64_t width = bags.weight.sizes[1];
  Words values(static_cast<size_t>(bags.count * width), 0), rows(values.size(), ~Word{0});
  for (int64_t i = 0; i != bags.indices.count() && !call.failed(); ++i) {
    if (bags.skips(i))
      continue;
    const int64_t row = indexOf(call, bags.indices.integer(i), bags.weight.sizes[0]);
    for (int64_t j = 0; j != width && !call.failed(); ++j) {
      const auto at = static_cast<size_t>(bags.bagOf[static_cast<size_t>(i)] * width + j);
      const Word word = bags.weight[row * width + j];
      if (rows[at] == ~Word{0} || orderKey(values[at]) < orderKey(word)) {
        values[at] = word;
        rows[at] = static_cast<Word>(row);
      }
    }
  }
  return {makeArray(Kind::Float, {bags.count, width}, std::move(values), bags.digits),
          makeArray(Kind::Integer, {bags.count, width}, std::move(rows))};
}

Array integersOf(const std::vector<int64_t> &numbers) {
  return makeArray(Kind::Integer, {static_cast<int64_t>(numbers.size())}, Words(numbers.begin(), numbers.end()));
}

// _embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset,
// padding_idx) -> (output, bag of each index, sizes of the bags, rows of the maxima)
Value bagRule(Call &call) {
  Bags bags;
  bags.weight = call.floats(0);
  bags.indices = call.tensor(1);
  const Array offsets = call.tensor(2);
  const bool hasEnd = call.flag(7);
  call.require(bags.weight.sizes.size() == 2 && bags.indices.sizes.size() == 1 && offsets.sizes.size() == 1,
               "an embedding bag of " + intListText(bags.weight.sizes) + " with indices " +
                   intListText(bags.indices.sizes));
  bags.mode = call.integer(4);
  bags.padding = call.has(8) ? call.integer(8, -1) : -1;
  bags.weights = weightsOf(call, 6, bags.indices);
  bags.count = offsets.count() - (hasEnd ? 1 : 0);
  call.require(bags.count > 0 || bags.indices.count() == 0, "an embedding bag without offsets");
  if (call.failed())
    return {};
  bags.bagOf = bagsOfOffsets(offsets, bags.indices.count(), hasEnd);
  bags.digits = call.has(6) ? digitsOfProduct(bags.weight, call.floats(6)) : bags.weight.digits;
  const Array sizes = makeArray(Kind::Integer, {bags.count}, bags.bagSizes()), places = integersOf(bags.bagOf);
  if (bags.mode == MaxMode) {
    Maxima maxima = maximaOfBags(call, bags);
    return Value(std::vector<Value>{Value(maxima.values), Value(places), Value(sizes), Value(maxima.rows)});
  }
  return Value(std::vector<Value>{Value(sumsOfBags(call, bags)), Value(places), Value(sizes),
                                  Value(filled(Kind::Integer, {bags.count}, 0))});
}

/// Where a backward operator has its arguments. `offsets`: of the offsets, or of the bag of each index.
struct BackwardPlaces {
  bool hasOffsets;
  size_t sizes, maxima, rows, byFrequency, mode, weights, padding;
};

/// Returns how often each index occurs, as the factors 1 / n.
Words sharesOfFrequency(Call &call, const Array &indices) {
  std::map<Word, int64_t> counts;
  for (Word index : *indices.words)
    ++counts[index];
  Words shares;
  for (Word index : *indices.words)
    shares.push_back(call.field->inverse(numberOfInteger(counts[index])));
  return shares;
}

Array gradientOfRows(Call &call, const Bags &bags, const Array &grad, const BackwardPlaces &places) {
  const int64_t rows = call.integer(places.rows), width = grad.sizes[1];
  const Words factors = factorsOf(call, bags);
  const Words shares = call.flag(places.byFrequency) ? sharesOfFrequency(call, bags.indices) : Words();
  Words sums(static_cast<size_t>(rows * width), 0);
  for (int64_t i = 0; i != bags.indices.count() && !call.failed(); ++i) {
    if (bags.skips(i))
      continue;
    const auto at = static_cast<size_t>(i);
    const int64_t row = indexOf(call, bags.indices.integer(i), rows);
    const Word factor = shares.empty() ? factors[at] : multiply(factors[at], shares[at]);
    for (int64_t j = 0; j != width && !call.failed(); ++j) {
      Word &sum = sums[static_cast<size_t>(row * width + j)];
      sum = add(sum, multiply(factor, grad[bags.bagOf[at] * width + j]));
    }
  }
  return makeArray(Kind::Float, {rows, width}, std::move(sums), bags.digits);
}

Array gradientOfMaxima(Call &call, const Array &grad, const BackwardPlaces &places) {
  const int64_t rows = call.integer(places.rows), width = grad.sizes[1];
  const Array chosen = call.tensor(places.maxima);
  Words sums(static_cast<size_t>(rows * width), 0);
  call.require(chosen.count() == grad.count(), "rows of maxima of other sizes than the gradient");
  for (int64_t i = 0; i != grad.count() && !call.failed(); ++i) {
    if (chosen.integer(i) < 0)
      continue;
    const int64_t row = indexOf(call, chosen.integer(i), rows);
    if (call.failed())
      break;
    Word &sum = sums[static_cast<size_t>(row * width + i % width)];
    sum = add(sum, grad[i]);
  }
  return makeArray(Kind::Float, {rows, width}, std::move(sums), grad.digits);
}

/// Reads the bags of a gradient: grad, indices, and the bag of each index. Offsets come before it, and count where no
/// bags are given.
Bags bagsOfGradient(Call &call, const Array &grad, size_t indices, const BackwardPlaces &places) {
  Bags bags;
  bags.indices = call.tensor(indices);
  const Array given = call.tensor(indices + (places.hasOffsets ? 2 : 1));
  const bool usesOffsets = places.hasOffsets && given.count() == 0;
  call.require(grad.sizes.size() == 2, "a gradient of bags of " + intListText(grad.sizes));
  call.require(usesOffsets || given.count() == bags.indices.count(), "not the bag of each index");
  if (call.failed())
    return bags;
  bags.count = grad.sizes[0];
  bags.mode = call.integer(places.mode);
  bags.padding = call.has(places.padding) ? call.integer(places.padding, -1) : -1;
  if (usesOffsets) {
    const Array starts = call.tensor(indices + 1);
    bags.bagOf = bagsOfOffsets(starts, bags.indices.count(), starts.count() > bags.count);
  }
  for (int64_t i = 0; !usesOffsets && i != given.count(); ++i)
    bags.bagOf.push_back(indexOf(call, given.integer(i), bags.count));
  return bags;
}

Value backward(Call &call, const BackwardPlaces &places) {
  const Array grad = call.floats(0);
  Bags bags = bagsOfGradient(call, grad, 1, places);
  const int64_t rows = call.integer(places.rows);
  call.require(rows >= 0 && rows <= (int64_t{1} << 32), "a gradient of " + llvm::Twine(rows) + " rows");
  bags.weights = weightsOf(call, places.weights, bags.indices);
  if (bags.mode == MeanMode)
    bags.givenSizes = *call.tensor(places.sizes).words;
  call.require(bags.mode != MeanMode || static_cast<int64_t>(bags.givenSizes.size()) == bags.count,
               "not the size of each bag");
  if (call.failed())
    return {};
  bags.digits = call.has(places.weights) ? digitsOfProduct(grad, call.floats(places.weights)) : grad.digits;
  return Value(bags.mode == MaxMode ? gradientOfMaxima(call, grad, places) : gradientOfRows(call, bags, grad, places));
}

// _embedding_bag_backward(grad, indices, offsets, offset2bag, bag_size, maximum_indices, num_weights,
// scale_grad_by_freq, mode, sparse, per_sample_weights, padding_idx)
Value backwardRule(Call &call) {
  call.require(!call.flag(9), "no rule for sparse gradients");
  return call.failed() ? Value() : backward(call, {true, 4, 5, 6, 7, 8, 10, 11});
}
// _embedding_bag_dense_backward(grad, indices, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq,
// mode, per_sample_weights, padding_idx)
Value denseBackwardRule(Call &call) { return backward(call, {false, 3, 4, 5, 6, 7, 8, 9}); }

// _embedding_bag_per_sample_weights_backward(grad, weight, indices, offsets, offset2bag, mode, padding_idx): the scalar
// product of the gradient of the bag and the row of each index.
Value sampleWeightsBackwardRule(Call &call) {
  const Array grad = call.floats(0), weight = call.floats(1);
  BackwardPlaces places{true, 0, 0, 0, 0, 5, 0, 6};
  const Bags bags = bagsOfGradient(call, grad, 2, places);
  call.require(weight.sizes.size() == 2, "a table of " + intListText(weight.sizes));
  if (call.failed())
    return {};
  const int64_t width = weight.sizes[1];
  Words sums(static_cast<size_t>(bags.indices.count()), 0);
  for (int64_t i = 0; i != bags.indices.count() && !call.failed(); ++i) {
    const int64_t row = bags.skips(i) ? 0 : indexOf(call, bags.indices.integer(i), weight.sizes[0]);
    const auto at = static_cast<size_t>(i);
    for (int64_t j = 0; j != width && !bags.skips(i) && !call.failed(); ++j)
      sums[at] = add(sums[at], multiply(grad[bags.bagOf[at] * width + j], weight[row * width + j]));
  }
  return Value(makeArray(Kind::Float, {bags.indices.count()}, std::move(sums), digitsOfProduct(grad, weight)));
}

} // namespace

llvm::ArrayRef<RuleEntry> bagRules() {
  static constexpr RuleEntry rules[] = {
      {"aten._embedding_bag", bagRule},
      {"aten._embedding_bag_backward", backwardRule},
      {"aten._embedding_bag_dense_backward", denseBackwardRule},
      {"aten._embedding_bag_forward_only", bagRule},
      {"aten._embedding_bag_per_sample_weights_backward", sampleWeightsBackwardRule},
      {"aten.embedding_bag", bagRule},
  };
  return rules;
}

} // namespace ccgraph::equality
