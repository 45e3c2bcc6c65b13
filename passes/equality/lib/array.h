// Array and Tensor: the values of an evaluation.
//
// An Array is an immutable row-major block of words, which ranks share. A Tensor is what a node of one rank holds: a
// view (sizes, strides, offset) of a Storage, whose words a step in place replaces, so that all views of one rank see
// the change and no other rank does.
//
// Ownership: shared; words are never written after an Array is made. Failure: none; sizes are the caller's. Cost: a
// view is O(dimensions), read() copies unless the view is the whole storage in order.
#pragma once

#include "ring.h"

#include "ccgraph/ir/dtype.h"
#include "ccgraph/ir/int_list.h"

#include <memory>
#include <vector>

namespace ccgraph::equality {

/// How words are read; the order is that of promotion. Floats are numbers of the ring, integers are 64-bit integers. A
/// complex number is two floats; rules read it by its parts (rules/complex.cpp).
enum class Kind : uint8_t { Bool, Integer, Float, Complex };
[[nodiscard]] Kind kindOf(DType dtype);

using Words = std::vector<Word>;

struct Array {
  Kind kind = Kind::Float;
  /// how many digits of the floats are known, 0 to fullDigits
  uint8_t digits = fullDigits;
  IntList sizes;
  std::shared_ptr<const Words> words;
  /// A second word for each element. Of complex numbers: the imaginary parts. Of logarithms: the root of unity by which
  /// exp must multiply (ring.h); null: 1 for all.
  std::shared_ptr<const Words> companion = nullptr;

  [[nodiscard]] int64_t count() const { return static_cast<int64_t>(words->size()); }
  [[nodiscard]] Word operator[](int64_t index) const { return (*words)[static_cast<size_t>(index)]; }
  [[nodiscard]] int64_t integer(int64_t index) const { return static_cast<int64_t>((*this)[index]); }
};

/// Makes an array; the digits of floats beyond `digits` become 0, so that equal values have equal words.
[[nodiscard]] Array makeArray(Kind kind, IntListRef sizes, Words words, unsigned digits = fullDigits);
[[nodiscard]] Array filled(Kind kind, IntListRef sizes, Word word);
/// Returns the roots of unity of floats: their companions, or 1 for all.
[[nodiscard]] Array unityOf(const Array &array);
/// Returns the same words with other sizes of the same product.
[[nodiscard]] Array reshaped(const Array &array, IntListRef sizes);
/// Returns the words as another kind. Floats become integers where they are some; an array without such a form is
/// empty.
[[nodiscard]] std::optional<Array> converted(const Array &array, Kind kind);
/// Joins two arrays of floats of equal sizes to complex numbers.
[[nodiscard]] Array complexArray(const Array &real, const Array &imaginary);
/// Returns the real parts of complex numbers; any other array as it is.
[[nodiscard]] Array realPart(const Array &array);
/// Returns the imaginary parts of complex numbers; zeros for any other array.
[[nodiscard]] Array imaginaryPart(const Array &array);
/// Returns complex numbers as pairs of floats in a further last dimension; any other array as it is.
[[nodiscard]] Array asPairs(const Array &array);
/// Returns pairs of floats in the last dimension as complex numbers.
[[nodiscard]] Array fromPairs(const Array &pairs);
/// Returns true if the words are equal in the digits that both know.
[[nodiscard]] bool sameWords(const Array &a, const Array &b);
/// Returns the first index at which the words differ; empty if there is none.
[[nodiscard]] std::optional<int64_t> firstDifference(const Array &a, const Array &b);
/// A hash of the words and of their kind, not of the sizes.
[[nodiscard]] uint64_t contentHash(const Array &array);

/// Memory of one rank.
struct Storage {
  explicit Storage(const Array &array)
      : kind(array.kind), digits(array.digits), words(array.words), companion(array.companion) {}
  Kind kind;
  uint8_t digits;
  std::shared_ptr<const Words> words;
  std::shared_ptr<const Words> companion;
  /// hash of the words; 0: not computed
  uint64_t hash = 0;
};

struct Tensor {
  std::shared_ptr<Storage> storage;
  IntList sizes;
  IntList strides;
  int64_t offset = 0;

  Tensor() = default;
  /// A new storage that shares the words.
  explicit Tensor(const Array &array);
  [[nodiscard]] explicit operator bool() const { return storage != nullptr; }
  [[nodiscard]] Kind kind() const { return storage->kind; }
};

/// Returns the elements of the view in order.
[[nodiscard]] Array read(const Tensor &tensor);
/// Replaces the elements of the view; `array` has its sizes. Other views of the storage see the change.
void write(const Tensor &tensor, const Array &array);
/// Returns a number that is equal for tensors with equal elements in equal storages.
[[nodiscard]] uint64_t identityOf(const Tensor &tensor);

/// Calls `visit(offset)` with the offset of each element, in order.
template <class Visit>
void forEachOffset(IntListRef sizes, IntListRef strides, int64_t offset, Visit visit) {
  if (sizes.empty())
    return visit(offset);
  if (productOf(sizes) == 0)
    return;
  const size_t last = sizes.size() - 1;
  IntList index(sizes.size(), 0);
  while (true) {
    int64_t place = offset;
    for (int64_t i = 0; i != sizes[last]; ++i, place += strides[last])
      visit(place);
    size_t dim = last;
    while (dim-- > 0) {
      offset += strides[dim];
      if (++index[dim] != sizes[dim])
        break;
      offset -= strides[dim] * sizes[dim];
      index[dim] = 0;
    }
    if (dim == static_cast<size_t>(-1))
      return;
  }
}

} // namespace ccgraph::equality
