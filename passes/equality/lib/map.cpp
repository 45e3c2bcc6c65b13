#include "map.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace ccgraph::equality {

IntList broadcastSizes(Call &call, llvm::ArrayRef<Array> operands) {
  size_t rank = 0;
  for (const Array &operand : operands)
    rank = std::max(rank, operand.sizes.size());
  IntList sizes(rank, 1);
  for (const Array &operand : operands)
    for (size_t i = 0; i != operand.sizes.size(); ++i) {
      int64_t size = operand.sizes[i];
      int64_t &common = sizes[rank - operand.sizes.size() + i];
      if (size == 1 || size == common)
        continue;
      call.require(common == 1, "sizes " + intListText(operand.sizes) + " do not broadcast to " + intListText(sizes));
      common = size;
    }
  return sizes;
}

Array expandedTo(const Array &array, IntListRef sizes) {
  if (IntListRef(array.sizes) == sizes)
    return array;
  Tensor tensor(array);
  IntList strides(sizes.size(), 0);
  const size_t first = sizes.size() - array.sizes.size();
  for (size_t i = 0; i != array.sizes.size(); ++i)
    strides[first + i] = array.sizes[i] == 1 ? 0 : tensor.strides[i];
  tensor.sizes = toIntList(sizes);
  tensor.strides = strides;
  return read(tensor);
}

static int comparedNumbers(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }

// One digit of a number that is no integer may be that of a small integer, so one digit is not enough.
BoundOrder::BoundOrder(const Field &field, double bound, unsigned digits)
    : field_(field), bound_(bound), number_(numberOfReal(bound)), knowsIntegers_(digits > 1) {}

int BoundOrder::operator()(Word word) const {
  constexpr int64_t mostKnown = 4096;
  if (word == number_)
    return 0;
  if (isMark(word) || isMark(number_) || bound_ == 0)
    return orderKey(word) < orderKey(number_) ? -1 : 1;
  if (std::optional<int64_t> integer = integerOf(word); knowsIntegers_ && integer && std::abs(*integer) <= mostKnown)
    return comparedNumbers(static_cast<double>(*integer), bound_);
  return toPlain(field_.random(mix(hashText("bound"), number_), word)) % prime % 2 == 0 ? -1 : 1;
}

/// Returns the largest power of p that divides all numbers, as far as their digits are known.
static unsigned sharedPower(const Array &a) {
  unsigned power = a.digits;
  for (size_t i = 0; i != a.words->size() && power != 0; ++i)
    power = std::min(power, primePower((*a.words)[i]));
  return power;
}

unsigned digitsOfProduct(const Array &a, const Array &b) {
  const unsigned least = std::min(a.digits, b.digits);
  if (least == fullDigits)
    return least;
  return std::min({a.digits + sharedPower(b), b.digits + sharedPower(a), fullDigits});
}

Array productOfFloats(Call &call, const Array &a, const Array &b) {
  return zipWords(call, a, b, Kind::Float, multiply, digitsOfProduct(a, b));
}

Squares::Squares(const Field &field, const Array &a)
    : field_(field), digits_(a.digits),
      knowsShortRoots_(llvm::all_of(*a.words, [&](Word word) { return !isShort(word) || field.isRoot(word); })) {}

bool Squares::isShort(Word word) const { return !isMark(word) && word != 0 && digits_ < primePower(word) + 2; }

Word Squares::operator()(Word word) const {
  return isShort(word) && !knowsShortRoots_ ? multiply(word, word) : field_.square(word);
}

Array squaresOf(Call &call, const Array &a) {
  return mapWords(a, Kind::Float, Squares(*call.field, a), digitsOfProduct(a, a));
}

Array sumOf(Call &call, const Array &a, const Array &b) {
  if (a.kind != Kind::Float)
    return zipWords(call, a, b, a.kind, std::plus<Word>());
  Array sum = zipWords(call, a, b, a.kind, add);
  if ((a.companion || b.companion) && !call.failed()) {
    Array unity = zipWords(call, unityOf(a), unityOf(b), Kind::Float, multiply);
    // A mark absorbs the logarithm.
    auto ofNumbers = [](Word word, Word root) { return isMark(word) ? fromPlain(1) : root; };
    sum.companion = zipWords(call, sum, unity, Kind::Float, ofNumbers, fullDigits).words;
  }
  return sum;
}

Array negated(Call &call, const Array &a) {
  if (a.kind != Kind::Float)
    return mapWords(a, a.kind, std::negate<Word>());
  Array result = mapWords(a, a.kind, negate);
  if (a.companion)
    result.companion = mapWords(unityOf(a), Kind::Float, [&](Word word) { return call.field->inverse(word); }).words;
  return result;
}

} // namespace ccgraph::equality
