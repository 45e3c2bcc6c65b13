#include "ccgraph/ir/context.h"
#include "ccgraph/ir/symbol.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

std::optional<int64_t> evaluated(llvm::StringRef text) {
  return evaluateSymbolic(text, [](llvm::StringRef name) -> std::optional<int64_t> {
    if (name == "s0")
      return 7;
    if (name == "u0")
      return 3;
    return std::nullopt;
  });
}

} // namespace

TEST(SymbolTest, Arithmetic) {
  EXPECT_EQ(evaluated("2*s0 + u0"), 17);
  EXPECT_EQ(evaluated("2*(s0 - u0)"), 8);
  EXPECT_EQ(evaluated("-s0 + 1"), -6);
  EXPECT_EQ(evaluated("s0 - u0 - 1"), 3) << "left to right";
  EXPECT_EQ(evaluated("2**3**2"), 512) << "powers bind to the right";
  EXPECT_EQ(evaluated("-2**2"), -4);
  EXPECT_EQ(evaluated("-7 // 2"), -4) << "floors, as Python does";
  EXPECT_EQ(evaluated("-7 % 3"), 2);
  EXPECT_EQ(evaluated("(s0 + 1)//4"), 2);
}

TEST(SymbolTest, FunctionsAndComparisons) {
  EXPECT_EQ(evaluated("Max(1, u0, s0)"), 7);
  EXPECT_EQ(evaluated("Min(s0, u0)"), 3);
  EXPECT_EQ(evaluated("Eq(u0 + 4, s0)"), 1);
  EXPECT_EQ(evaluated("u0 <= 2"), 0);
  EXPECT_EQ(evaluated("Mod(s0, 4)"), 3);
  EXPECT_EQ(evaluated("FloorDiv(s0, 2)"), 3);
  EXPECT_EQ(evaluated("CeilDiv(s0, 2)"), 4);
}

TEST(SymbolTest, NoValueInsteadOfAGuess) {
  EXPECT_EQ(evaluated("s1"), std::nullopt) << "unknown symbol";
  EXPECT_EQ(evaluated("Where(s0, 1)"), std::nullopt) << "unknown function";
  EXPECT_EQ(evaluated("Abs(u0 - 7)"), std::nullopt) << "unknown function of one argument";
  EXPECT_EQ(evaluated("Mod(s0)"), std::nullopt);
  EXPECT_EQ(evaluated("Mod(s0, 4, 2)"), std::nullopt);
  EXPECT_EQ(evaluated("Max(s0)"), 7);
  EXPECT_EQ(evaluated("s0 // 0"), std::nullopt);
  EXPECT_EQ(evaluated("9223372036854775807 + 1"), std::nullopt);
  EXPECT_EQ(evaluated("9223372036854775807 * s0"), std::nullopt);
  EXPECT_EQ(evaluated("2**64"), std::nullopt);
  EXPECT_EQ(evaluated("99999999999999999999"), std::nullopt);
  EXPECT_EQ(evaluated("s0 +"), std::nullopt);
  EXPECT_EQ(evaluated("(s0"), std::nullopt);
  EXPECT_EQ(evaluated("s0 u0"), std::nullopt);
  EXPECT_EQ(evaluated(""), std::nullopt);
  EXPECT_EQ(evaluated(std::string(100000, '(')), std::nullopt) << "no deep recursion";
  EXPECT_EQ(evaluated(std::string(100000, '-')), std::nullopt);
}

TEST(SymbolTest, UnbackedSymbolsAreSeen) {
  Context context;
  EXPECT_TRUE(context.symbolic("u0 + 4")->isUnbacked());
  EXPECT_TRUE(context.symbolic("2*u12")->isUnbacked());
  EXPECT_FALSE(context.symbolic("s0 + 4")->isUnbacked());
  EXPECT_FALSE(context.symbolic("cu0")->isUnbacked());
  EXPECT_EQ(context.symbolic("s0"), context.symbolic("s0"));
}

TEST(SymbolTest, DimArithmeticKeepsSympysSpelling) {
  Context context;
  Dim u0(context.symbolic("u0"));
  Dim sum(context.symbolic("u0 + u1"));
  EXPECT_EQ(multiply(context, u0, 4).str(), "4*u0");
  EXPECT_EQ(multiply(context, 2, sum).str(), "2*(u0 + u1)");
  EXPECT_EQ(multiply(context, 2, multiply(context, u0, 4)).str(), "8*u0");
  EXPECT_EQ(multiply(context, u0, 1), u0);
  Dim s7(context.symbolic("s7")), s17(context.symbolic("s17"));
  EXPECT_EQ(multiply(context, s7, s17).str(), "s17*s7");
  EXPECT_EQ(multiply(context, multiply(context, s17, s7), multiply(context, 3, s7)).str(), "3*s17*s7**2");
  EXPECT_EQ(multiply(context, multiply(context, s7, s7), multiply(context, s7, 2)).str(), "2*s7**3");
  EXPECT_EQ(multiply(context, -2, s7).str(), "-2*s7");
  EXPECT_EQ(multiply(context, Dim(context.symbolic("s7//2")), s17).str(), "(s7//2)*s17");
  EXPECT_EQ(multiply(context, s17, Dim(context.symbolic("(s7//2)"))).str(), "s17*(s7//2)");
  EXPECT_EQ(multiply(context, 6, 7), Dim(42));
  EXPECT_EQ(add(context, 5, u0).str(), "u0 + 5");
  EXPECT_EQ(add(context, u0, 0), u0);
  EXPECT_EQ(divideExactly(12, 4), Dim(3));
  EXPECT_EQ(divideExactly(13, 4), std::nullopt);
  EXPECT_EQ(divideExactly(u0, 4), std::nullopt);
  EXPECT_EQ(divideExactly(u0, 1), u0);
}
