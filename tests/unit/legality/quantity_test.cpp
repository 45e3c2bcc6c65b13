// Tests numbers that depend on one symbol against their values for many values of the symbol.
#include "quantity.h"

#include "ccgraph/ir/context.h"

#include <gtest/gtest.h>

namespace ccgraph::legality {
namespace {

class LegalityQuantity : public testing::Test {
protected:
  std::optional<Quantity> read(const char *text) {
    std::string symbol;
    return Quantity::of(Dim(context_.symbolic(text)), symbol);
  }
  Quantity quantity(const char *text) {
    std::optional<Quantity> read = this->read(text);
    EXPECT_TRUE(read.has_value()) << text;
    return read.value_or(Quantity(0));
  }

  Context context_;
};

TEST_F(LegalityQuantity, HasTheValueOfItsTextForEachValueOfTheSymbol) {
  for (const char *text : {"s0", "2048*s0", "(s0//2)", "s0 - ((s0//2))", "-(((4*s0)//3)) + (((8*s0)//3))",
                           "(((s0//3) + 1)//4)", "7 - s0", "((-s0)//5)", "2*(s0 + 1)", "Max(1, s0 - 1)", "5"}) {
    const Quantity quantity = this->quantity(text);
    for (int64_t s = leastSizeSymbol; s < 500; ++s)
      EXPECT_EQ(quantity.at(s), evaluateSymbolic(text, [&](llvm::StringRef) { return s; })) << text << " for " << s;
  }
}

TEST_F(LegalityQuantity, IsNoTextOfAnotherForm) {
  for (const char *text : {"s0*s0", "s0//s0", "s0 + s1", "u0", "s0**2", "s0 % 2", "Max(2, s0 - 1)", "2//s0", "s0//0",
                           "Eq(s0, 2)", "t0", "s0//5000"})
    EXPECT_FALSE(read(text).has_value()) << text;
}

TEST_F(LegalityQuantity, CountsAProductOfSymbolsAsOneSymbol) {
  for (const char *text : {"s0*s1", "3*s0*s1", "((s0*s1)//2)", "s1*s0 - ((s0*s1)//3)", "Max(1, ((2*s0*s1)//3))"}) {
    const Quantity quantity = this->quantity(text);
    for (int64_t s = leastSizeSymbol; s < 20; ++s)
      for (int64_t t = leastSizeSymbol; t < 20; ++t)
        EXPECT_EQ(quantity.at(s * t),
                  evaluateSymbolic(text, [&](llvm::StringRef name) { return name == "s0" ? s : t; }))
            << text << " for " << s << " and " << t;
  }
}

TEST_F(LegalityQuantity, HasOneSymbolOrProductInAllSizes) {
  std::string symbol;
  EXPECT_TRUE(Quantity::of(Dim(context_.symbolic("s0*s1")), symbol).has_value());
  EXPECT_TRUE(Quantity::of(Dim(context_.symbolic("4*s1*s0")), symbol).has_value());
  for (const char *text : {"s0", "s1", "s0*s2", "s0*s1*s2", "(s0//2)", "s0*s1 + s0", "s0*s0*s1", "s0*(s1 + 1)"})
    EXPECT_FALSE(Quantity::of(Dim(context_.symbolic(text)), symbol).has_value()) << text;
}

TEST_F(LegalityQuantity, IsEqualOnlyIfAllValuesAre) {
  EXPECT_TRUE(quantity("((2*s0)//4)").equals(quantity("(s0//2)")));
  EXPECT_TRUE(quantity("(s0//2) + ((s0 + 1)//2)").equals(quantity("s0")));
  EXPECT_FALSE(quantity("((s0 + 1)//2)").equals(quantity("(s0//2)")));
  // equal up to 2000
  EXPECT_FALSE(quantity("((1000*s0)//2001)").equals(quantity("((s0 - 1)//2)")));
}

TEST_F(LegalityQuantity, IsAtMostAnotherOnlyForEachValue) {
  EXPECT_TRUE(quantity("(s0//2)").isAtMost(quantity("((s0 + 1)//2)")));
  EXPECT_FALSE(quantity("((s0 + 1)//2)").isAtMost(quantity("(s0//2)")));
  EXPECT_TRUE(Quantity(2).isAtMost(quantity("s0")));
  EXPECT_FALSE(Quantity(3).isAtMost(quantity("s0")));
  // up to 1000
  EXPECT_FALSE(quantity("2*s0").isAtMost(quantity("s0 + 1000")));
  EXPECT_FALSE(quantity("s0 + 1000").isAtMost(quantity("2*s0")));
}

TEST_F(LegalityQuantity, IsIncreasingIfItDeterminesTheSymbol) {
  EXPECT_TRUE(quantity("s0").isIncreasing());
  EXPECT_TRUE(quantity("3*s0 + ((s0//2))").isIncreasing());
  EXPECT_TRUE(quantity("((3*s0)//2)").isIncreasing());
  EXPECT_FALSE(quantity("(s0//2)").isIncreasing());
  EXPECT_FALSE(Quantity(4).isIncreasing());
}

TEST_F(LegalityQuantity, DividesExactlyOnlyIfAllValuesDo) {
  EXPECT_TRUE(quantity("6*s0").over(3).has_value());
  EXPECT_FALSE(quantity("s0").over(2).has_value());
  EXPECT_FALSE(quantity("2*s0 + 1").over(2).has_value());
  EXPECT_TRUE(quantity("2*((s0//2)) + 4").over(2)->equals(quantity("(s0//2) + 2")));
}

TEST_F(LegalityQuantity, HasNoValueOnOverflow) {
  EXPECT_FALSE(read("9223372036854775807*s0").has_value());
  EXPECT_FALSE(quantity("s0").times(Quantity(INT64_MAX)).has_value());
  EXPECT_FALSE(quantity("4*s0").at(INT64_MAX).has_value());
}

} // namespace
} // namespace ccgraph::legality
