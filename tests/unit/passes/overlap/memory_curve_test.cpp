// Tests MemoryCurve against a list of numbers, with random additions and queries.
#include "schedule/overlap/memory_curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace ccgraph::overlap {
namespace {

/// A list that computes the curve's answers the slow way.
struct Numbers {
  void add(size_t from, size_t to, int64_t bytes) {
    for (size_t place = from; place < to; ++place)
      of[place] += bytes;
  }
  [[nodiscard]] int64_t largest(size_t from, size_t to) const {
    return *std::max_element(&of[from], &of[from] + (to - from));
  }
  std::vector<int64_t> of;
};

/// Each round adds to one random range and queries another.
void compare(Numbers numbers, std::mt19937_64 &random) {
  MemoryCurve curve(numbers.of);
  size_t size = numbers.of.size();
  for (int round = 0; round < 200; ++round) {
    size_t from = random() % size, to = from + random() % (size - from + 1);
    int64_t bytes = static_cast<int64_t>(random() % 2001) - 1000;
    curve.add(from, to, bytes);
    numbers.add(from, to, bytes);
    from = random() % size;
    to = from + 1 + random() % (size - from);
    ASSERT_EQ(curve.largest(from, to), numbers.largest(from, to))
        << "of [" << from << ", " << to << "), " << size << " places";
  }
}

TEST(MemoryCurve, AnswersAsAListOfNumbersDoes) {
  std::mt19937_64 random(7);
  for (size_t size = 1; size < 40; ++size) {
    Numbers numbers;
    for (size_t place = 0; place < size; ++place)
      numbers.of.push_back(static_cast<int64_t>(random() % 2001) - 1000);
    compare(numbers, random);
  }
}

TEST(MemoryCurve, AddsNothingToAnEmptyRange) {
  MemoryCurve curve({3, 1, 2});
  curve.add(0, 0, 100);
  curve.add(2, 1, 100);
  curve.add(3, 3, 100);
  EXPECT_EQ(curve.largest(0, 3), 3);
  EXPECT_EQ(curve.largest(1, 3), 2);
}

} // namespace
} // namespace ccgraph::overlap
