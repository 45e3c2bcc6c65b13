// Applies functions of words to whole arrays, with PyTorch's broadcasting.
//
// Ownership: values. Failure: sizes that do not broadcast reject the call and give an empty array. Cost: one call of
// the function for each element of the result.
#pragma once

#include "call.h"

namespace ccgraph::equality {

/// Returns the sizes to which all operands broadcast; rejects the call where there are none.
[[nodiscard]] IntList broadcastSizes(Call &call, llvm::ArrayRef<Array> operands);
/// Returns the array repeated to the sizes, to which it broadcasts.
[[nodiscard]] Array expandedTo(const Array &array, IntListRef sizes);
/// Returns the kind in which an operator computes on both.
[[nodiscard]] inline Kind commonKind(const Array &a, const Array &b) { return std::max(a.kind, b.kind); }

template <class Function>
Array mapWords(const Array &a, Kind kind, Function function, unsigned digits) {
  Words words(a.words->size());
  for (size_t i = 0; i != words.size(); ++i)
    words[i] = function((*a.words)[i]);
  return makeArray(kind, a.sizes, std::move(words), digits);
}
template <class Function>
Array mapWords(const Array &a, Kind kind, Function function) {
  return mapWords(a, kind, function, a.digits);
}

/// Applies a function to pairs of elements; the operands are already of the kind that it reads. `digits`: how many are
/// known of the results.
template <class Function>
Array zipWords(Call &call, const Array &a, const Array &b, Kind kind, Function function, unsigned digits) {
  if (b.count() == 1 && b.sizes.size() <= a.sizes.size()) {
    const Word right = b[0];
    return mapWords(
        a, kind, [&](Word left) { return function(left, right); }, digits);
  }
  IntList sizes = broadcastSizes(call, {a, b});
  if (call.failed())
    return filled(kind, {}, 0);
  Array left = expandedTo(a, sizes), right = expandedTo(b, sizes);
  Words words(left.words->size());
  for (size_t i = 0; i != words.size(); ++i)
    words[i] = function((*left.words)[i], (*right.words)[i]);
  return makeArray(kind, sizes, std::move(words), digits);
}

/// Compares floats with a bound that is a literal. 0 and infinities are compared in the order of the ring (ring.h), and
/// integers of at most 4096 as they are. In the order of the ring, all other literals are beside 0, so that no number
/// would be between two bounds; numbers are compared with them by a pseudo-random function of the number.
class BoundOrder {
public:
  /// `digits`: how many are known of the floats.
  BoundOrder(const Field &field, double bound, unsigned digits);
  /// Returns -1 for a number below the bound, 0 for the bound, 1 for one beyond.
  [[nodiscard]] int operator()(Word word) const;

private:
  const Field &field_;
  double bound_;
  Word number_;
  bool knowsIntegers_;
};

template <class Function>
Array zipWords(Call &call, const Array &a, const Array &b, Kind kind, Function function) {
  return zipWords(call, a, b, kind, function, std::min(a.digits, b.digits));
}

/// Returns how many digits are known of products of two arrays: a multiple of p makes one more of the other known.
[[nodiscard]] unsigned digitsOfProduct(const Array &a, const Array &b);
/// Returns a * b of two arrays of floats.
[[nodiscard]] Array productOfFloats(Call &call, const Array &a, const Array &b);
/// Squares the elements of one array of floats by the law sqrt(x)^2 = x. A number of which one digit is known after its
/// factors p is one of p numbers, so a gradient may equal a norm by accident. Such numbers obey the law only where all
/// such numbers of the array are roots, as in a list of norms.
class Squares {
public:
  Squares(const Field &field, const Array &a);
  [[nodiscard]] Word operator()(Word word) const;

private:
  /// Returns true if only one digit of the number is known after its factors p.
  [[nodiscard]] bool isShort(Word word) const;
  const Field &field_;
  unsigned digits_;
  bool knowsShortRoots_;
};

/// Returns the squares of floats; they keep the law sqrt(x)^2 = x.
[[nodiscard]] Array squaresOf(Call &call, const Array &a);
/// Returns a + b of two arrays of floats or of two of integers. The roots of unity of logarithms multiply.
[[nodiscard]] Array sumOf(Call &call, const Array &a, const Array &b);
/// Returns -a.
[[nodiscard]] Array negated(Call &call, const Array &a);

} // namespace ccgraph::equality
