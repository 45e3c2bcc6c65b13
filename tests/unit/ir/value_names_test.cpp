#include "ccgraph/ir/value_names.h"

#include <gtest/gtest.h>

using namespace ccgraph;

TEST(ValueNames, SayWhatTheCallerBringsAndReceives) {
  EXPECT_EQ(inputName("x_1"), "in.x_1");
  EXPECT_EQ(attributeName("layer.weight"), "attr.layer.weight");
  EXPECT_EQ(outputName(12), "out.12");
  EXPECT_EQ(afterName("x_1"), "after.x_1");
  EXPECT_TRUE(isResultName(outputName(0)));
  EXPECT_TRUE(isResultName(afterName("x")));
  EXPECT_TRUE(isAttributeName(attributeName("w")));
}

TEST(ValueNames, ReadBackOnlyTheirOwnKind) {
  EXPECT_EQ(placeholderOfInput("in.in.x"), "in.x");
  EXPECT_EQ(placeholderOfAfter("after.x"), "x");
  for (llvm::StringRef other : {"out.0", "attr.in.x", "x", ""}) {
    EXPECT_EQ(placeholderOfInput(other), std::nullopt) << other.str();
    EXPECT_EQ(placeholderOfAfter(other), std::nullopt) << other.str();
  }
  EXPECT_FALSE(isResultName("in.out.0"));
  EXPECT_FALSE(isAttributeName("in.attr.w"));
}
