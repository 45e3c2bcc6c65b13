// Tests which windows have no byte in common: hand-written cases, and random windows compared with a list of their
// bytes.
#include "cuda/apart.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <set>

namespace ccgraph::runtime::cuda {
namespace {

Tensor floats(int64_t number) { return Tensor::zeros(DType::F32, {number}); }

Tensor window(const Tensor &base, IntList sizes, IntList strides, int64_t offset, DType dtype = DType::F32) {
  return base.reinterpret(dtype, {std::move(sizes), std::move(strides), offset});
}

TEST(Apart, ColumnsOfOneTensorAre) {
  Tensor base = floats(24);
  Tensor first = window(base, {2, 4}, {12, 1}, 0);
  EXPECT_TRUE(areApart(first, window(base, {2, 4}, {12, 1}, 4)));
  EXPECT_FALSE(areApart(first, window(base, {2, 4}, {12, 1}, 3)));
  EXPECT_FALSE(areApart(first, window(base, {2, 4}, {12, 1}, 9))) << "the last of a row is the first of the next";
  EXPECT_TRUE(areApart(window(base, {12}, {2}, 0), window(base, {12}, {2}, 1)));
}

TEST(Apart, ElementsEndWhereOthersBegin) {
  Tensor base = floats(16);
  Tensor halves = window(base, {4}, {1}, 0, DType::BF16);
  EXPECT_TRUE(areApart(halves, window(base, {4}, {1}, 2)));
  EXPECT_TRUE(areApart(window(base, {4}, {1}, 2), halves));
  EXPECT_FALSE(areApart(window(base, {4}, {1}, 1), halves));
}

TEST(Apart, NothingIsApartFromAll) {
  Tensor base = floats(4);
  EXPECT_TRUE(areApart(window(base, {0, 4}, {4, 1}, 0), base));
  EXPECT_FALSE(areApart(base, base));
}

/// Returns the bytes of all its elements.
std::set<const std::byte *> bytesOf(const Tensor &tensor) {
  std::set<const std::byte *> places;
  for (int64_t i = 0; i < tensor.elementSize(); ++i)
    places.insert(tensor.data() + i);
  for (int64_t dim = 0; dim < tensor.rank(); ++dim) {
    std::set<const std::byte *> more;
    for (const std::byte *place : places)
      for (int64_t i = 0; i < tensor.size(dim); ++i)
        more.insert(place + i * tensor.stride(dim) * tensor.elementSize());
    places = std::move(more);
  }
  return places;
}

Tensor randomWindow(const Tensor &base, test::Random &random) {
  IntList sizes, strides;
  int64_t last = 0;
  for (size_t dim = 0, rank = random.below(4); dim < rank; ++dim) {
    sizes.push_back(1 + static_cast<int64_t>(random.below(4)));
    strides.push_back(static_cast<int64_t>(random.below(13)));
    last += (sizes.back() - 1) * strides.back();
  }
  auto offset = static_cast<int64_t>(random.below(static_cast<size_t>(base.numElements() - last)));
  DType dtype = random.below(2) == 0 ? DType::F32 : DType::BF16;
  return window(base, std::move(sizes), std::move(strides), offset, dtype);
}

TEST(Apart, AsTheirBytesSay) {
  Tensor base = floats(160);
  test::Random random(3);
  size_t apart = 0;
  for (int round = 0; round < 20000; ++round) {
    Tensor a = randomWindow(base, random), b = randomWindow(base, random);
    std::set<const std::byte *> ofA = bytesOf(a), ofB = bytesOf(b);
    bool expected = std::none_of(ofA.begin(), ofA.end(), [&](const std::byte *place) { return ofB.count(place) != 0; });
    ASSERT_EQ(areApart(a, b), expected) << "round " << round;
    apart += expected ? 1 : 0;
  }
  EXPECT_GT(apart, 4000U);
  EXPECT_LT(apart, 19000U);
}

} // namespace
} // namespace ccgraph::runtime::cuda
