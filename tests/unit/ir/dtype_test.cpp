#include "ccgraph/ir/dtype.h"

#include <gtest/gtest.h>

using namespace ccgraph;

TEST(DTypeTest, EveryNameReadsBack) {
  for (unsigned i = 0; i < numDTypes; ++i) {
    auto type = static_cast<DType>(i);
    EXPECT_EQ(parseShortDType(shortName(type)), type);
    EXPECT_EQ(parseTorchDType(torchName(type)), type);
    EXPECT_EQ(parseScalarType(scalarTypeName(type)), type);
    EXPECT_GE(sizeInBytes(type), 1U);
  }
}

TEST(DTypeTest, SpellingsAreNotMixed) {
  EXPECT_EQ(parseShortDType("bfloat16"), std::nullopt);
  EXPECT_EQ(parseTorchDType("bf16"), std::nullopt);
  EXPECT_EQ(parseShortDType(""), std::nullopt);
  EXPECT_EQ(parseScalarType("float32"), std::nullopt);
  EXPECT_EQ(parseTorchDType("double"), DType::F64);
}

TEST(DTypeTest, SizesAndClasses) {
  EXPECT_EQ(sizeInBytes(DType::BF16), 2U);
  EXPECT_EQ(sizeInBytes(DType::C128), 16U);
  EXPECT_EQ(sizeInBytes(DType::Bool), 1U);
  EXPECT_EQ(classOf(DType::Bool), DTypeClass::Bool);
  EXPECT_EQ(classOf(DType::U64), DTypeClass::Integer);
  EXPECT_TRUE(isFloat(DType::F8E5M2));
  EXPECT_TRUE(isComplex(DType::C64));
  EXPECT_FALSE(isFloat(DType::C64));
}
