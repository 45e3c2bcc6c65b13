#include "kernels/dense_values.h"
#include "kernels/families.h"
#include "kernels/pointwise.h"

#include <algorithm>
#include <cmath>

// Places of values in sorted lines, torch.searchsorted and torch.bucketize, and counts of values in equal bins,
// torch.histc and torch.bincount.
namespace ccgraph::runtime {
namespace {

/// The number of elements of a sorted line that lie before the value: those below it or, to the right of equal ones,
/// those up to it. NaN lies after all numbers.
template <typename T>
int64_t placeIn(llvm::ArrayRef<T> line, T value, bool right) {
  const T *at = llvm::partition_point(line, [&](T element) { return !(right ? element > value : element >= value); });
  return at - line.begin();
}

template <typename T>
Scratch<T> elementsOf(const Tensor &tensor) {
  Tensor plain = tensor.contiguous();
  Scratch<T> values(static_cast<size_t>(plain.numElements()));
  readRow<T>(plain.dtype(), {plain.data(), plain.elementSize()}, values);
  return values;
}

/// Sorted lines, one for each line of the values, or one for all.
struct Search {
  Tensor lines;
  Tensor values;
  bool right = false;
};

template <typename T>
Scratch<int64_t> placesOf(const Search &search) {
  Scratch<T> sorted = elementsOf<T>(search.lines), values = elementsOf<T>(search.values);
  auto length = static_cast<size_t>(search.lines.sizes().back());
  bool shared = search.lines.rank() == 1;
  size_t perLine = shared ? values.size() : static_cast<size_t>(search.values.sizes().back());
  Scratch<int64_t> places;
  for (size_t i = 0; i < values.size(); ++i) {
    llvm::ArrayRef<T> line(sorted.data() + (shared ? 0 : i / perLine * length), length);
    places.push_back(placeIn<T>(line, values[i], search.right));
  }
  return places;
}

/// The lines' elements in the order of a sorter, a tensor of places of the same sizes.
Tensor sortedBy(KernelArgs &args, const Tensor &lines, const Tensor &sorter) {
  if (!args.check(sorter.sizes() == lines.sizes() && sorter.dtype() == DType::I64,
                  "got a sorter " + typeOf(sorter) + " for " + typeOf(lines)))
    return lines;
  Scratch<int64_t> order = elementsOf<int64_t>(sorter);
  Tensor from = lines.contiguous(), result = Tensor::zeros(lines.dtype(), lines.sizes());
  int64_t length = lines.sizes().back(), size = lines.elementSize();
  for (size_t i = 0; i < order.size(); ++i) {
    auto at = static_cast<int64_t>(i);
    if (args.check(order[i] >= 0 && order[i] < length, "got the place " + llvm::Twine(order[i]) + " in the sorter"))
      std::copy_n(from.data() + (at / length * length + order[i]) * size, size, result.data() + at * size);
  }
  return result;
}

Value run(KernelArgs &args, const Search &search, bool narrow) {
  bool ordered = computable(search.lines.dtype()) && !isComplex(search.lines.dtype()) &&
                 computable(search.values.dtype()) && !isComplex(search.values.dtype());
  bool fits = search.lines.rank() == 1 || (search.lines.rank() > 1 && search.lines.rank() == search.values.rank() &&
                                           search.lines.sizes().drop_back() == search.values.sizes().drop_back());
  if (args.failed() ||
      !args.check(ordered && fits, "got sorted lines " + typeOf(search.lines) + " and values " + typeOf(search.values) +
                                       ", expected ordered elements, and one line or as many as of values"))
    return {};
  bool whole =
      classOf(search.lines.dtype()) <= DTypeClass::Integer && classOf(search.values.dtype()) <= DTypeClass::Integer;
  Scratch<int64_t> places = whole ? placesOf<int64_t>(search) : placesOf<double>(search);
  return tensorOf(places, narrow ? DType::I32 : DType::I64, search.values.sizes());
}

/// (self, boundaries, out_int32, right)
Value bucketize(KernelArgs &args) {
  const Tensor &boundaries = args.tensor(1);
  args.check(boundaries.rank() == 1, "got boundaries " + typeOf(boundaries) + ", expected 1 dimension");
  return run(args, {boundaries, args.operand(0).tensor, args.boolean(3, false)}, args.boolean(2, false));
}

/// (sorted_sequence, self, out_int32, right, side, sorter)
Value searchSorted(KernelArgs &args) {
  Search search{args.tensor(0), args.operand(1).tensor, args.boolean(3, false)};
  llvm::StringRef side = args.text(4, search.right ? "right" : "left");
  args.check(side == "left" || side == "right", "got side '" + side + "', expected 'left' or 'right'");
  search.right |= side == "right";
  if (std::optional<Tensor> sorter = args.optionalTensor(5); sorter && !args.failed())
    search.lines = sortedBy(args, search.lines, *sorter);
  return run(args, search, args.boolean(2, false));
}

// --- Counts in bins ----------------------------------------------------------------------------
/// The range of a histogram; low == high stands for the range of the values.
struct Bins {
  int64_t count = 0;
  double low = 0;
  double high = 0;
};

Bins rangeOf(Bins bins, llvm::ArrayRef<double> values) {
  if (bins.low == bins.high && !values.empty()) {
    auto [low, high] = std::minmax_element(values.begin(), values.end());
    bins.low = *low;
    bins.high = *high;
  }
  if (bins.low == bins.high) {
    bins.low -= 1;
    bins.high += 1;
  }
  return bins;
}

/// The bin of a value in the range, in the arithmetic of the tensor's dtype. The last bin holds the end of the range.
template <typename T>
int64_t binOf(const Bins &bins, double value) {
  T offset = (static_cast<T>(value) - static_cast<T>(bins.low)) * static_cast<T>(bins.count);
  return std::min(static_cast<int64_t>(offset / (static_cast<T>(bins.high) - static_cast<T>(bins.low))),
                  bins.count - 1);
}

/// (self, bins, min, max): values outside of the range, and NaN, are not counted.
Value histogram(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Bins bins{args.integer(1, 100), args.number(2, 0), args.number(3, 0)};
  bool ordered = computable(self.dtype()) && !isComplex(self.dtype()) && self.dtype() != DType::Bool;
  if (args.failed() || !args.check(ordered && bins.count > 0 && bins.low <= bins.high,
                                   "got " + typeOf(self) + " and " + llvm::Twine(bins.count) +
                                       " bins, expected numbers, at least one bin, and min up to max"))
    return {};
  Scratch<double> values = readAll(self);
  bins = rangeOf(bins, values);
  if (!args.check(std::isfinite(bins.low) && std::isfinite(bins.high), "the range of the values is not finite"))
    return {};
  Scratch<int64_t> counts(static_cast<size_t>(bins.count));
  for (double value : values)
    if (value >= bins.low && value <= bins.high)
      ++counts[static_cast<size_t>(self.dtype() == DType::F64 ? binOf<double>(bins, value)
                                                              : binOf<float>(bins, value))];
  return tensorOf(counts, self.dtype(), {bins.count});
}

/// (self, weights, minlength): how often each whole number occurs, or the sum of its weights.
Value countNumbers(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  std::optional<Tensor> weights = args.optionalTensor(1);
  int64_t length = args.integer(2, 0);
  bool whole = classOf(self.dtype()) == DTypeClass::Integer && self.rank() == 1 && length >= 0;
  bool fits = !weights || (weights->sizes() == self.sizes() && computable(weights->dtype()));
  if (args.failed() || !args.check(whole && fits, "got " + typeOf(self) +
                                                      ", expected whole numbers in 1 dimension, and "
                                                      "as many weights"))
    return {};
  Scratch<int64_t> numbers = elementsOf<int64_t>(self);
  for (int64_t number : numbers) {
    if (!args.check(number >= 0, "got the number " + llvm::Twine(number) + ", expected none below 0"))
      return {};
    length = std::max(length, number + 1);
  }
  DType dtype = !weights ? DType::I64 : weights->dtype() == DType::F32 ? DType::F32 : DType::F64;
  Scratch<double> added = weights ? readAll(*weights) : Scratch<double>();
  Scratch<double> sums(static_cast<size_t>(length));
  for (size_t i = 0; i < numbers.size(); ++i) {
    double &sum = sums[static_cast<size_t>(numbers[i])];
    sum += weights ? added[i] : 1;
    sum = dtype == DType::F32 ? static_cast<float>(sum) : sum;
  }
  return tensorOf(sums, dtype, {length});
}

constexpr llvm::StringLiteral bucketNames = "self,boundaries,out_int32,right";
constexpr llvm::StringLiteral searchNames = "sorted_sequence,self,out_int32,right,side,sorter";

const Kernel searchTable[] = {
    {"aten.bincount.default", "self,weights,minlength", countNumbers},
    {"aten.bucketize.Scalar", bucketNames, bucketize},
    {"aten.bucketize.Tensor", bucketNames, bucketize},
    {"aten.histc.default", "self,bins,min,max", histogram},
    {"aten.searchsorted.Scalar", searchNames, searchSorted},
    {"aten.searchsorted.Tensor", searchNames, searchSorted},
};

} // namespace

llvm::ArrayRef<Kernel> searchKernels() { return searchTable; }

} // namespace ccgraph::runtime
