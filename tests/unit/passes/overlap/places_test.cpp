// Tests the positions of an order.
#include "schedule/overlap/places.h"

#include <gtest/gtest.h>

using namespace ccgraph::overlap;

TEST(Places, AreByStep) { EXPECT_EQ(placesOf({2, 0, 1}), (std::vector<size_t>{1, 2, 0})); }

TEST(Places, OfOneOrderGiveItBack) {
  std::vector<uint32_t> order = {3, 1, 0, 2};
  EXPECT_EQ(orderedBy(placesOf(order), order), order);
}

TEST(Places, StepsOfOnePlaceKeepTheirOrder) {
  // 4 moves to the position of 3, and 0 to that of 2.
  EXPECT_EQ(orderedBy({3, 1, 3, 0, 0}, {3, 1, 0, 2, 4}), (std::vector<uint32_t>{3, 4, 1, 0, 2}));
}
