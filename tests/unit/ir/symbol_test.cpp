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

// The texts of this test and the next are those of torch.SymInt (PyTorch 2.15), with symbols renamed.
TEST(SymbolTest, DimArithmeticKeepsSympysSpelling) {
  Context context;
  Dim u0(context.symbolic("u0"));
  Dim sum(context.symbolic("u0 + u1"));
  EXPECT_EQ(multiply(context, u0, 4).str(), "4*u0");
  EXPECT_EQ(multiply(context, 2, sum).str(), "2*u0 + 2*u1");
  EXPECT_EQ(multiply(context, 2, multiply(context, u0, 4)).str(), "8*u0");
  EXPECT_EQ(multiply(context, u0, 1), u0);
  Dim s7(context.symbolic("s7")), s17(context.symbolic("s17"));
  EXPECT_EQ(multiply(context, s7, s17).str(), "s17*s7");
  EXPECT_EQ(multiply(context, multiply(context, s17, s7), multiply(context, 3, s7)).str(), "3*s17*s7**2");
  EXPECT_EQ(multiply(context, multiply(context, s7, s7), multiply(context, s7, 2)).str(), "2*s7**3");
  EXPECT_EQ(multiply(context, -2, s7).str(), "-2*s7");
  EXPECT_EQ(multiply(context, Dim(context.symbolic("s7//2")), s17).str(), "s17*((s7//2))");
  EXPECT_EQ(multiply(context, s17, Dim(context.symbolic("(s7//2)"))).str(), "s17*((s7//2))");
  EXPECT_EQ(multiply(context, 6, 7), Dim(42));
  EXPECT_EQ(add(context, 5, u0).str(), "u0 + 5");
  EXPECT_EQ(add(context, u0, 0), u0);
  EXPECT_EQ(add(context, sum, u0).str(), "2*u0 + u1");
  EXPECT_EQ(subtract(context, sum, u0).str(), "u1");
  EXPECT_EQ(subtract(context, u0, u0), Dim(0));
  EXPECT_EQ(divideExactly(context, 12, 4), Dim(3));
  EXPECT_EQ(divideExactly(context, 13, 4), std::nullopt);
  EXPECT_EQ(divideExactly(context, u0, 4), std::nullopt);
  EXPECT_EQ(divideExactly(context, u0, 1), u0);
  EXPECT_EQ(divideExactly(context, multiply(context, sum, 6), 3)->str(), "2*u0 + 2*u1");
  EXPECT_EQ(divideExactly(context, Dim(context.symbolic("6*s0*s1**2 + 3*s1")), Dim(context.symbolic("3*s1")))->str(),
            "2*s0*s1 + 1");
  EXPECT_EQ(divideExactly(context, Dim(context.symbolic("s0*s1 + 1")), Dim(context.symbolic("s1"))), std::nullopt);
}

TEST(SymbolTest, TextsAreSimplifiedAsSympyPrintsThem) {
  Context context;
  auto simple = [&](llvm::StringRef text) { return simplified(context, Dim(context.symbolic(text))).str(); };
  // read back, each of these texts stays as it is
  for (const char *text : {"2*b + 2",
                           "a*(b + 1)",
                           "(-a + b)*(a + b)",
                           "((a + b)//2)",
                           "4*(((a + b)//2)) + 1",
                           "4*b - 4*((b//2))",
                           "b - ((b//2))",
                           "3 - ((b//2))",
                           "((b//2)) + ((b//3))",
                           "((b//2))**2",
                           "a*((b//2))",
                           "3*a*((b//2))",
                           "Mod(b, 3)",
                           "-b + 2*(Mod(b, 3))",
                           "a - b",
                           "1 - b",
                           "a**2 + a*b**2 + b",
                           "b + 2*Max(a, b)",
                           "b*Max(a, b)",
                           "b**2",
                           "-b",
                           "Mod(a + b, 4)",
                           "((a*b)//2)",
                           "((((b//2)) + 1)//2)",
                           "c + d*((a//2))*((b//2))",
                           "Min(b, a + 2)",
                           "3*a + b",
                           "-a*b + 1"})
    EXPECT_EQ(simple(text), text);
  EXPECT_EQ(simple("b + (-1)*(b // 2)"), "b - ((b//2))") << "as a runnable text writes it";
  EXPECT_EQ(simple("2*(a + 1) - 2"), "2*a");
  EXPECT_EQ(simple("(2*a)//2"), "a");
  EXPECT_EQ(simple("(2*a + 2)//2"), "a + 1");
  EXPECT_EQ(simple("(2*a + 2*b)//4"), "((a + b)//2)");
  EXPECT_EQ(simple("(4*a + b + 8)//4"), "a + ((b//4)) + 2");
  EXPECT_EQ(simple("(4*a - 1)//4"), "a - 1");
  EXPECT_EQ(simple("a % 3 + -7 % 3"), "(Mod(a, 3)) + 2");
  EXPECT_EQ(simple("a - a"), "0");
}

TEST(SymbolTest, SizesThatMayBeZeroCountAsOneInStrides) {
  Context context;
  auto least = [&](llvm::StringRef text) { return atLeastOne(context, Dim(context.symbolic(text))).str(); };
  for (const char *positive : {"s9", "s9 + 1", "s9 + ((s9//2))", "Min(7, s9)", "s9 + (Mod(s9, 3))", "s6*s9",
                               "s9*(s6 + 1)", "Min(s6, s9) + 1", "2*s9 - 1", "(((s9 - 1)//2)) + 1"})
    EXPECT_EQ(least(positive), positive);
  for (const char *other :
       {"s9 - 1", "(s9//2)", "s9*((s9//2))", "2*s9 - ((s9//2))", "Mod(s9, 3)", "((s9 + 1)//2)", "u0", "u0 + 1",
        "s9 + u0", "2*u0", "s9*u0", "(((s9 - 3)//2)) + 1", "s9*(s6 - 1)", "s6 - s9 + 1"})
    EXPECT_EQ(least(other), (llvm::Twine("Max(1, ") + other + ")").str());
  EXPECT_EQ(least("Max(s6, s9)"), "Max(1, s6, s9)");
  EXPECT_EQ(atLeastOne(context, 0), Dim(1));
}

TEST(SymbolTest, ArithmeticKeepsTheValue) {
  Context context;
  const char *texts[] = {"s0",     "s0 - ((s0//2))", "u0 - s0",     "2*(s0 + u0)", "Max(s0, u0)", "-u0",
                         "s0 % 4", "(s0 + u0)//3",   "s0*(u0 + 1)", "5",           "-3"};
  for (const char *x : texts)
    for (const char *y : texts) {
      const Dim a(context.symbolic(x)), b(context.symbolic(y));
      const int64_t p = *evaluated(x), q = *evaluated(y);
      EXPECT_EQ(evaluated(add(context, a, b).str()), p + q) << x << " and " << y;
      EXPECT_EQ(evaluated(subtract(context, a, b).str()), p - q) << x << " and " << y;
      EXPECT_EQ(evaluated(multiply(context, a, b).str()), p * q) << x << " and " << y;
      EXPECT_EQ(evaluated(multiply(context, a, 4).str()), p * 4) << x;
      if (auto quotient = floorDivide(context, a, b)) {
        EXPECT_EQ(evaluated(quotient->str()), evaluated(("(" + llvm::Twine(x) + ")//(" + y + ")").str()))
            << x << " and " << y;
      }
      if (auto rest = modulo(context, a, b)) {
        EXPECT_EQ(evaluated(rest->str()), evaluated(("(" + llvm::Twine(x) + ")%(" + y + ")").str()))
            << x << " and " << y;
      }
    }
}

TEST(SymbolTest, WhatIsNoArithmeticIsJoinedInBrackets) {
  Context context;
  const Dim isSmall(context.symbolic("s0 < 3")), s0(context.symbolic("s0")),
      large(context.symbolic("9223372036854775807*s0"));
  EXPECT_EQ(add(context, isSmall, 1).str(), "(s0 < 3) + 1");
  EXPECT_EQ(multiply(context, isSmall, s0).str(), "(s0 < 3)*(s0)");
  EXPECT_EQ(multiply(context, large, 2).str(), "(9223372036854775807*s0)*2");
  EXPECT_EQ(floorDivide(context, isSmall, 2), std::nullopt);
  EXPECT_EQ(floorDivide(context, s0, 0), std::nullopt);
  EXPECT_EQ(modulo(context, s0, 0), std::nullopt);
  EXPECT_EQ(simplified(context, Dim(context.symbolic(std::string(100000, '(')))).str().size(), 100000U);
  EXPECT_EQ(simplified(context, Dim(context.symbolic(std::string(100000, '-')))).str().size(), 100000U);
}
