// Tests layouts whose runs list the elements in another order of the dimensions: each is compared with the same value
// computed element by element.
#include "layout.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <random>

namespace ccgraph::legality {
namespace {

using Elements = std::vector<int64_t>;

/// Numbers that differ between sources and between elements of one source.
constexpr int64_t sourceStep = 1000;

/// A value as a list of its elements in row-major order.
struct Array {
  IntList sizes;
  Elements elements;

  [[nodiscard]] int64_t at(llvm::ArrayRef<int64_t> indices) const {
    int64_t place = 0;
    for (size_t i = 0; i < sizes.size(); ++i)
      place = place * sizes[i] + indices[i];
    return elements[place];
  }
};

/// Returns the array of these sizes whose elements the function computes from their indices.
template <typename Element>
Array arrayOf(const IntList &sizes, Element element) {
  Array array{sizes, {}};
  const int64_t count = product(sizes);
  for (int64_t place = 0; place < count; ++place) {
    IntList indices(sizes.size());
    int64_t rest = place;
    for (size_t i = sizes.size(); i-- > 0; rest /= sizes[i])
      indices[i] = rest % sizes[i];
    array.elements.push_back(element(indices));
  }
  return array;
}

Array sourceArray(uint32_t source, const IntList &sizes) {
  int64_t next = source * sourceStep;
  return arrayOf(sizes, [&](const IntList &) { return next++; });
}

Array permutedArray(const Array &array, const IntList &dims) {
  IntList sizes(dims.size());
  for (size_t i = 0; i < dims.size(); ++i)
    sizes[i] = array.sizes[dims[i]];
  return arrayOf(sizes, [&](const IntList &indices) {
    IntList was(dims.size());
    for (size_t i = 0; i < dims.size(); ++i)
      was[dims[i]] = indices[i];
    return array.at(was);
  });
}

Array part(const Array &array, int64_t dim, int64_t from, int64_t count) {
  IntList sizes = array.sizes;
  sizes[dim] = count;
  return arrayOf(sizes, [&](IntList indices) {
    indices[dim] += from;
    return array.at(indices);
  });
}

Array concatenated(llvm::ArrayRef<Array> arrays, int64_t dim) {
  IntList sizes = arrays[0].sizes;
  for (const Array &array : arrays.drop_front())
    sizes[dim] += array.sizes[dim];
  return arrayOf(sizes, [&](IntList indices) {
    const Array *array = arrays.begin();
    for (; indices[dim] >= array->sizes[dim]; ++array)
      indices[dim] -= array->sizes[dim];
    return array->at(indices);
  });
}

std::optional<Layout> partOf(const Layout &value, int64_t dim, int64_t from, int64_t count) {
  Excerpt excerpt = excerptOf(value);
  excerpt.base = from * excerpt.steps[dim];
  excerpt.sizes[dim] = count;
  return look(value, excerpt);
}

Elements elementsOf(const Layout &value) {
  Elements elements;
  const std::optional<Layout> rows = inRowMajorOrder(value);
  EXPECT_TRUE(rows && rows->order.empty());
  if (rows)
    for (const Run &run : *rows->runs)
      for (int64_t i = 0; i < run.count; ++i)
        elements.push_back(run.source * sourceStep + run.start + i);
  return elements;
}

Layout source(uint32_t number, const IntList &sizes) { return whole(number, false, sizes); }

void expectSame(const std::optional<Layout> &value, const Array &array) {
  ASSERT_TRUE(value);
  EXPECT_EQ(value->sizes, array.sizes);
  EXPECT_EQ(elementsOf(*value), array.elements);
}

/// Expects that the value has so many runs in the order in which they are listed, and the elements of the array.
void expectRuns(const std::optional<Layout> &value, size_t runs, const Array &array) {
  expectSame(value, array);
  EXPECT_EQ(value->runs->size(), runs);
}

Array reshaped(const Array &array, const IntList &sizes) { return {sizes, array.elements}; }

TEST(LayoutOrder, PermutesWithoutANewRun) {
  const Layout matrix = source(1, {4, 6});
  const Layout transposed = permuted(matrix, {1, 0});
  EXPECT_EQ(transposed.order, (IntList{1, 0}));
  EXPECT_EQ(transposed.strides, (IntList{1, 6}));
  expectRuns(transposed, 1, permutedArray(sourceArray(1, {4, 6}), {1, 0}));
  EXPECT_TRUE(permuted(transposed, {1, 0}).order.empty()) << "the matrix again";
  const Layout turned = permuted(source(1, {2, 3, 4}), {2, 0, 1});
  expectRuns(turned, 1, permutedArray(sourceArray(1, {2, 3, 4}), {2, 0, 1}));
  expectRuns(permuted(turned, {0, 2, 1}), 1, permutedArray(sourceArray(1, {2, 3, 4}), {2, 1, 0}));
}

TEST(LayoutOrder, DimensionsOfOneElementHaveNoOrder) {
  EXPECT_TRUE(permuted(source(1, {1, 6}), {1, 0}).order.empty());
  EXPECT_TRUE(permuted(source(1, {1, 4, 6}), {1, 0, 2}).order.empty());
  EXPECT_EQ(permuted(source(1, {4, 6, 1}), {1, 2, 0}).order, (IntList{2, 0, 1})) << "it follows the one before it";
}

TEST(LayoutOrder, ValuesWithoutElementsHaveNoOrder) {
  const Layout none = permuted(source(1, {0, 3}), {1, 0});
  EXPECT_TRUE(none.order.empty());
  EXPECT_EQ(none.sizes, (IntList{3, 0}));
  EXPECT_TRUE(reshape(none, {0}, false));
  EXPECT_FALSE(reshape(permuted(source(1, {2, 3}), {1, 0}), {-3, -2}, true)) << "negative sizes";
}

TEST(LayoutOrder, SplitsAndJoinsDimensions) {
  const Layout transposed = permuted(source(1, {12, 5}), {1, 0});
  const Array array = permutedArray(sourceArray(1, {12, 5}), {1, 0});
  const auto split = reshape(transposed, {5, 4, 3}, false);
  expectRuns(split, 1, reshaped(array, {5, 4, 3}));
  EXPECT_EQ(split->order, (IntList{1, 2, 0}));
  expectRuns(reshape(*split, {5, 12}, false), 1, array);
  expectRuns(reshape(*split, {5, 2, 6}, false), 1, reshaped(array, {5, 2, 6}));
  expectRuns(reshape(transposed, {5, 12, 1}, false), 1, reshaped(array, {5, 12, 1}));
  expectRuns(reshape(transposed, {1, 5, 1, 12}, false), 1, reshaped(array, {1, 5, 1, 12}));
}

TEST(LayoutOrder, FallsBackToRowMajorOrder) {
  const Layout transposed = permuted(source(1, {4, 6}), {1, 0});
  const Array array = permutedArray(sourceArray(1, {4, 6}), {1, 0});
  const auto flat = reshape(transposed, {24}, true);
  EXPECT_TRUE(flat && flat->order.empty());
  expectSame(flat, reshaped(array, {24}));
  EXPECT_FALSE(reshape(transposed, {24}, false)) << "no view";
  expectSame(reshape(transposed, {8, 3}, true), reshaped(array, {8, 3}));
}

TEST(LayoutOrder, ConcatenatesValuesOfOneOrder) {
  const Layout values[] = {permuted(source(1, {2, 5}), {1, 0}), permuted(source(2, {3, 5}), {1, 0})};
  const Array arrays[] = {permutedArray(sourceArray(1, {2, 5}), {1, 0}), permutedArray(sourceArray(2, {3, 5}), {1, 0})};
  expectRuns(concatenate(values, 1), 2, concatenated(arrays, 1));
  EXPECT_EQ(concatenate(values, 1)->strides, (IntList{5, 1}));
  EXPECT_FALSE(concatenate(values, 0)) << "other dimensions differ";
}

TEST(LayoutOrder, ConcatenatesOneColumnAndMoreOfThem) {
  const Layout whole = permuted(source(1, {3, 5}), {1, 0});
  const Layout values[] = {permuted(source(2, {1, 5}), {1, 0}), whole};
  const Array arrays[] = {permutedArray(sourceArray(2, {1, 5}), {1, 0}), permutedArray(sourceArray(1, {3, 5}), {1, 0})};
  expectRuns(concatenate(values, 1), 2, concatenated(arrays, 1));
}

TEST(LayoutOrder, ConcatenatesValuesOfSeveralOrders) {
  const Layout values[] = {source(1, {5, 2}), permuted(source(2, {3, 5}), {1, 0})};
  const Array arrays[] = {sourceArray(1, {5, 2}), permutedArray(sourceArray(2, {3, 5}), {1, 0})};
  const auto mixed = concatenate(values, 1);
  expectSame(mixed, concatenated(arrays, 1));
}

TEST(LayoutOrder, LooksAtPartsOfAPermutedValue) {
  const Layout transposed = permuted(source(1, {4, 6}), {1, 0});
  const Array array = permutedArray(sourceArray(1, {4, 6}), {1, 0});
  expectSame(partOf(transposed, 0, 2, 3), part(array, 0, 2, 3));
  expectSame(partOf(transposed, 1, 1, 2), part(array, 1, 1, 2));
  EXPECT_EQ(partOf(transposed, 1, 1, 2)->strides, (IntList{1, 6}));
}

TEST(LayoutOrder, EqualElementsAreEqualInEachOrder) {
  const Layout transposed = permuted(source(1, {4, 6}), {1, 0});
  EXPECT_TRUE(sameElements(transposed, *inRowMajorOrder(transposed)));
  EXPECT_FALSE(sameElements(transposed, source(1, {6, 4})));
  EXPECT_FALSE(sameElements(transposed, permuted(source(2, {4, 6}), {1, 0})));
  EXPECT_FALSE(sameElements(transposed, source(1, {4, 6}))) << "other sizes";
}

// --- Drawn chains ----------------------------------------------------------------------------------------------------

/// A value that is moved in drawn ways, as a layout and as an array.
class Chain {
public:
  explicit Chain(uint32_t seed) : random_(seed) {
    const IntList sizes = drawSizes();
    value_ = source(sources_, sizes);
    array_ = sourceArray(sources_, sizes);
  }

  void step() {
    switch (draw(0, 4)) {
    case 0:
      return permute();
    case 1:
      return view();
    case 2:
      return regroup();
    case 3:
      return slice();
    default:
      return cat();
    }
  }

  void check() const {
    expectSame(value_, array_);
    const std::optional<Layout> rows = inRowMajorOrder(value_);
    ASSERT_TRUE(rows);
    EXPECT_TRUE(sameElements(value_, *rows));
    Elements others = array_.elements;
    if (others.size() < 2)
      return;
    // Exchanges the first element and the last one.
    Runs runs;
    std::swap(others.front(), others.back());
    for (const int64_t element : others)
      append(runs, {0, element % sourceStep, 1, static_cast<uint32_t>(element / sourceStep), false});
    EXPECT_EQ(sameElements(value_, contiguous(array_.sizes, std::move(runs))), others == array_.elements);
  }

private:
  int64_t draw(int64_t least, int64_t most) { return least + static_cast<int64_t>(random_() % (most - least + 1)); }

  IntList drawSizes() {
    IntList sizes(draw(1, 4));
    for (int64_t &size : sizes)
      size = draw(1, 4);
    if (draw(0, 19) == 0)
      sizes[draw(0, static_cast<int64_t>(sizes.size()) - 1)] = 0;
    return sizes;
  }

  int64_t drawDim() { return draw(0, static_cast<int64_t>(array_.sizes.size()) - 1); }

  void permute() {
    IntList dims = ascending(array_.sizes.size());
    for (size_t i = dims.size(); i-- > 1;)
      std::swap(dims[i], dims[draw(0, static_cast<int64_t>(i))]);
    value_ = permuted(value_, dims);
    array_ = permutedArray(array_, dims);
  }

  void reshapeTo(const IntList &sizes) {
    std::optional<Layout> now = reshape(value_, sizes, true);
    ASSERT_TRUE(now);
    value_ = *now;
    array_.sizes = sizes;
  }

  /// Gives the value drawn sizes.
  void view() {
    IntList sizes;
    int64_t rest = product(array_.sizes);
    while (rest > 1 || sizes.empty()) {
      int64_t size = draw(1, std::max<int64_t>(rest, 1));
      while (rest % size != 0)
        --size;
      sizes.push_back(rest == 0 ? 0 : size);
      rest = rest == 0 ? 1 : rest / size;
    }
    if (sizes.size() < 6)
      reshapeTo(sizes);
  }

  /// Splits a dimension, joins it with the next one, or adds one of size 1.
  void regroup() {
    IntList sizes = array_.sizes;
    const int64_t dim = drawDim(), how = draw(0, 2);
    if (how == 0 && dim + 1 < static_cast<int64_t>(sizes.size())) {
      sizes[dim] *= sizes[dim + 1];
      sizes.erase(sizes.begin() + dim + 1);
    } else if (how == 1 && sizes[dim] % 2 == 0) {
      sizes[dim] /= 2;
      sizes.insert(sizes.begin() + dim + draw(0, 1), 2);
    } else {
      sizes.insert(sizes.begin() + dim, 1);
    }
    if (sizes.size() < 7)
      reshapeTo(sizes);
  }

  void slice() {
    const int64_t dim = drawDim(), from = draw(0, array_.sizes[dim]), count = draw(0, array_.sizes[dim] - from);
    if (count == 0 && draw(0, 9) > 0)
      return;
    std::optional<Layout> now = partOf(value_, dim, from, count);
    ASSERT_TRUE(now);
    value_ = *now;
    array_ = part(array_, dim, from, count);
  }

  /// Concatenates the value with itself, or with another source in the same order or in row-major order.
  void cat() {
    const int64_t dim = drawDim();
    if (array_.elements.size() > 60)
      return;
    Layout other = value_;
    Array array = array_;
    if (draw(0, 2) > 0) {
      array = sourceArray(++sources_, drawnSizes(dim));
      other = source(sources_, array.sizes);
      listInDrawnOrder(other, array);
    }
    std::vector<Layout> values = {value_, other};
    std::vector<Array> arrays = {array_, array};
    if (draw(0, 1) == 0)
      std::swap(values[0], values[1]), std::swap(arrays[0], arrays[1]);
    std::optional<Layout> now = concatenate(values, dim);
    ASSERT_TRUE(now);
    value_ = *now;
    array_ = concatenated(arrays, dim);
  }

  /// Returns the sizes of the value with another size along one dimension.
  IntList drawnSizes(int64_t dim) {
    IntList sizes = array_.sizes;
    sizes[dim] = draw(0, 3);
    return sizes;
  }

  /// Lists another source in the order of the value, or leaves it in row-major order.
  void listInDrawnOrder(Layout &other, Array &array) {
    if (value_.order.empty() || draw(0, 2) == 0)
      return;
    IntList listed, back(value_.order.size());
    for (size_t i = 0; i < value_.order.size(); ++i) {
      listed.push_back(array.sizes[value_.order[i]]);
      back[value_.order[i]] = static_cast<int64_t>(i);
    }
    other = permuted(source(sources_, listed), back);
    array = permutedArray(sourceArray(sources_, listed), back);
  }

  std::mt19937 random_;
  uint32_t sources_ = 1;
  Layout value_;
  Array array_;
};

TEST(LayoutOrder, HoldsWhatElementsHoldInDrawnChains) {
  for (uint32_t seed = 0; seed < 1000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Chain chain(seed);
    for (int i = 0; i < 8; ++i) {
      chain.step();
      chain.check();
    }
  }
}

} // namespace
} // namespace ccgraph::legality
