// The laws of the ring: what a rewrite may use holds exactly.
#include "map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ccgraph::equality {
namespace {

struct RingTest : testing::Test {
  Field field{7};
  [[nodiscard]] Word any(uint64_t i) const { return field.draw(i); }
};

TEST_F(RingTest, ProductsDistributeOverSums) {
  for (uint64_t i = 0; i != 100; ++i) {
    Word a = any(i), b = any(i + 1000), c = any(i + 2000);
    EXPECT_EQ(multiply(a, add(b, c)), add(multiply(a, b), multiply(a, c)));
    EXPECT_EQ(add(subtract(a, b), b), a);
    EXPECT_EQ(toPlain(fromPlain(i)), i);
  }
}

TEST_F(RingTest, AQuotientTimesItsDivisorIsTheDividend) {
  for (uint64_t i = 0; i != 100; ++i) {
    Word a = any(i), b = any(i + 1000);
    EXPECT_EQ(multiply(field.divide(a, b), b), a);
  }
  EXPECT_EQ(field.numGaps(), 0U);
  EXPECT_EQ(field.inverse(0), notANumber);
}

TEST_F(RingTest, AMultipleOfThePrimeHasNoInverseAndIsCounted) {
  Word p = numberOfInteger(static_cast<int64_t>(prime));
  EXPECT_NE(multiply(field.inverse(p), p), fromPlain(1));
  EXPECT_EQ(field.numGaps(), 1U);
}

TEST_F(RingTest, AnExponentialOfASumIsAProduct) {
  for (uint64_t i = 0; i != 100; ++i) {
    Word a = any(i), b = any(i + 1000);
    EXPECT_EQ(Field::exponential(add(a, b)), multiply(Field::exponential(a), Field::exponential(b)));
    EXPECT_EQ(Field::exponential(subtract(a, b)), field.divide(Field::exponential(a), Field::exponential(b)));
  }
  EXPECT_EQ(Field::exponential(0), fromPlain(1));
  EXPECT_EQ(Field::exponential(negativeInfinity), 0U);
}

TEST_F(RingTest, AnExponentialGainsADigit) {
  const Word step = numberOfInteger(static_cast<int64_t>(prime * prime));
  for (uint64_t i = 0; i != 20; ++i)
    EXPECT_EQ(Field::exponential(any(i)), Field::exponential(add(any(i), step)));
}

TEST_F(RingTest, ALogarithmOfAProductIsASumInTwoDigits) {
  for (uint64_t i = 0; i != 100; ++i) {
    Word a = any(i), b = any(i + 1000);
    EXPECT_EQ(truncate(field.logarithm(multiply(a, b)), 2), truncate(add(field.logarithm(a), field.logarithm(b)), 2));
    EXPECT_EQ(truncate(field.logarithm(Field::exponential(a)), 2), truncate(a, 2));
    EXPECT_EQ(truncate(field.logarithm(multiply(Field::exponential(a), b)), 2),
              truncate(add(a, field.logarithm(b)), 2));
  }
  EXPECT_EQ(field.logarithm(0), negativeInfinity);
  const Word multiple = multiply(fromPlain(prime), any(7));
  EXPECT_EQ(truncate(field.logarithm(multiple, 1), 1), truncate(field.logarithm(any(7)), 1));
  EXPECT_EQ(primePower(multiple), 1U);
  EXPECT_EQ(primePower(0), fullDigits);
  EXPECT_EQ(multiply(Field::rootOfUnity(multiple, 1), Field::exponential(field.logarithm(multiple, 1))), multiple);
}

TEST_F(RingTest, RootsMultiplyAndSquareBack) {
  for (uint64_t i = 0; i != 100; ++i) {
    Word a = any(i), b = any(i + 1000);
    EXPECT_EQ(field.root(multiply(a, b)), multiply(field.root(a), field.root(b)));
    Word square = multiply(field.root(a), field.root(a));
    EXPECT_TRUE(square == a || square == negate(a));
    EXPECT_EQ(field.root(negate(a)), negate(field.root(a)));
    field.noteRoot(field.root(a), a);
    EXPECT_EQ(field.square(field.root(a)), a);
  }
}

// One digit of a number is known after its factor p, so a gradient may equal a norm by accident.
TEST_F(RingTest, ShortNumbersAreRootsOnlyWhereAllOfTheArrayAre) {
  const Word p = fromPlain(prime), gradient = multiply(p, fromPlain(5)), other = multiply(p, fromPlain(7));
  const Word norm = gradient, normSquared = negate(multiply(norm, norm));
  field.noteRoot(norm, normSquared);
  const Array gradients = makeArray(Kind::Float, {2}, {gradient, other}, 2);
  const Array norms = makeArray(Kind::Float, {2}, {norm, 0}, 2);
  EXPECT_EQ(Squares(field, gradients)(gradient), multiply(gradient, gradient));
  EXPECT_EQ(Squares(field, norms)(norm), normSquared);
}

TEST_F(RingTest, LongNumbersAreRootsBesideOtherNumbers) {
  const Word root = field.root(any(1));
  field.noteRoot(root, any(1));
  const Array numbers = makeArray(Kind::Float, {3}, {root, any(2), multiply(fromPlain(prime), fromPlain(5))});
  EXPECT_EQ(Squares(field, numbers)(root), any(1));
}

TEST_F(RingTest, OtherFunctionsKeepDigitsAndDoNotMapAllExponentialsToOneNumber) {
  const Word a = any(1), far = add(a, numberOfInteger(static_cast<int64_t>(prime)));
  EXPECT_EQ(truncate(field.random(3, a), 1), truncate(field.random(3, far), 1));
  EXPECT_NE(field.random(3, a), field.random(3, far));
  EXPECT_NE(field.random(3, a), field.random(4, a));
  EXPECT_NE(field.random(3, Field::exponential(any(1))), field.random(3, Field::exponential(any(2))));
  EXPECT_EQ(field.random(3, 0), 0U);
}

TEST_F(RingTest, LiteralsAreTheFractionsThatTheyStandFor) {
  EXPECT_EQ(multiply(numberOfReal(0.1), numberOfInteger(10)), fromPlain(1));
  EXPECT_EQ(multiply(numberOfReal(1.0 / 3), numberOfInteger(3)), fromPlain(1));
  EXPECT_EQ(multiply(numberOfReal(1e-5), numberOfInteger(100000)), fromPlain(1));
  EXPECT_EQ(numberOfReal(-2.5), negate(field.divide(numberOfInteger(5), numberOfInteger(2))));
  EXPECT_EQ(numberOfReal(9007199254740992.0), numberOfInteger(9007199254740992));
  EXPECT_EQ(numberOfReal(-std::numeric_limits<double>::infinity()), negativeInfinity);
}

TEST_F(RingTest, LiteralsAreTheRootsThatTheyStandFor) {
  for (int64_t n : {2, 3, 8, 10, 48, 64, 80, 96, 128, 1024, 4096}) {
    const Word inverse = field.inverse(numberOfInteger(n));
    const double number = static_cast<double>(n);
    EXPECT_EQ(numberOfReal(std::sqrt(number)), field.root(numberOfInteger(n)));
    for (double root : {1 / std::sqrt(number), std::pow(number, -0.5)}) {
      EXPECT_EQ(multiply(numberOfReal(root), numberOfReal(root)), inverse);
      EXPECT_EQ(multiply(numberOfReal(root), field.root(numberOfInteger(n))), fromPlain(1));
    }
    const Word fourth = numberOfReal(std::pow(number, -0.25)), square = multiply(fourth, fourth);
    EXPECT_EQ(square, numberOfReal(std::pow(number, -0.5)));
  }
  // 17 has no root.
  const Word root = numberOfReal(std::sqrt(17.0));
  EXPECT_NE(multiply(root, root), negate(numberOfInteger(17)));
  EXPECT_NE(numberOfReal(0.35355339059), numberOfReal(0.353553390592));
}

TEST_F(RingTest, TheOrderIsTotalAndHasZeroInTheMiddle) {
  EXPECT_LT(orderKey(numberOfInteger(-1)), orderKey(0));
  EXPECT_LT(orderKey(0), orderKey(numberOfInteger(1)));
  EXPECT_LT(orderKey(negativeInfinity), orderKey(numberOfInteger(-400000)));
  EXPECT_GT(orderKey(positiveInfinity), orderKey(numberOfInteger(400000)));
  EXPECT_LT(orderKey(negativeInfinity), orderKey(lowestNumber));
  EXPECT_LT(orderKey(lowestNumber), orderKey(numberOfInteger(-400000)));
  EXPECT_GT(orderKey(highestNumber), orderKey(numberOfInteger(400000)));
  EXPECT_LT(orderKey(highestNumber), orderKey(positiveInfinity));
  EXPECT_NE(orderKey(Field::exponential(any(1))), orderKey(Field::exponential(any(2))));
}

TEST_F(RingTest, MarksFollowTheRulesOfFloats) {
  EXPECT_EQ(add(negativeInfinity, any(1)), negativeInfinity);
  EXPECT_EQ(subtract(negativeInfinity, negativeInfinity), notANumber);
  EXPECT_EQ(negate(negativeInfinity), positiveInfinity);
  EXPECT_EQ(multiply(negativeInfinity, 0), notANumber);
  EXPECT_EQ(add(lowestNumber, any(1)), lowestNumber);
  EXPECT_EQ(subtract(lowestNumber, lowestNumber), 0U);
  EXPECT_EQ(add(lowestNumber, lowestNumber), negativeInfinity);
  EXPECT_EQ(add(lowestNumber, positiveInfinity), positiveInfinity);
  EXPECT_EQ(Field::exponential(lowestNumber), 0U);
  EXPECT_EQ(integerOf(numberOfInteger(-5)), -5);
  EXPECT_FALSE(integerOf(any(1)));
}

} // namespace
} // namespace ccgraph::equality
