// Tests tensor arithmetic against PyTorch 2.15: promotion, broadcasting, strides, and the text of devices.
#include "ccgraph/ir/device.h"
#include "ccgraph/ir/internal/broadcast.h"
#include "ccgraph/ir/internal/promotion.h"
#include "ccgraph/ir/strides.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

// Python numbers that represent their class: True, 1, 1.5 and 1j.
constexpr PromotedOperand one{DType::I64, OperandKind::Number}, half{DType::F64, OperandKind::Number},
    imaginary{DType::C128, OperandKind::Number}, truth{DType::Bool, OperandKind::Number};

PromotedOperand zeroDim(DType dtype) { return {dtype, OperandKind::ZeroDim}; }

TEST(PromoteTypes, JoinsTwoDTypesWhateverTheirOrder) {
  const DType table[][3] = {
      {DType::U8, DType::I8, DType::I16},     {DType::U8, DType::I32, DType::I32},
      {DType::I32, DType::I64, DType::I64},   {DType::Bool, DType::U8, DType::U8},
      {DType::Bool, DType::F16, DType::F16},  {DType::I64, DType::F16, DType::F16},
      {DType::I64, DType::BF16, DType::BF16}, {DType::F16, DType::BF16, DType::F32},
      {DType::F16, DType::F32, DType::F32},   {DType::F32, DType::F64, DType::F64},
      {DType::F32, DType::C64, DType::C64},   {DType::F64, DType::C64, DType::C128},
      {DType::I64, DType::C64, DType::C64},   {DType::Bool, DType::Bool, DType::Bool},
      {DType::U16, DType::I16, DType::I32},   {DType::U32, DType::I8, DType::I64},
  };
  for (const auto &[a, b, expected] : table) {
    EXPECT_EQ(promoteTypes(a, b), expected) << shortName(a).str() << " " << shortName(b).str();
    EXPECT_EQ(promoteTypes(b, a), expected) << shortName(b).str() << " " << shortName(a).str();
  }
}

TEST(ResultTypeOfOperands, LowerKindsCountOnlyAcrossClasses) {
  EXPECT_EQ(resultType({{DType::F32}, zeroDim(DType::F64)}), DType::F32);
  EXPECT_EQ(resultType({{DType::I64}, zeroDim(DType::F16)}), DType::F16);
  EXPECT_EQ(resultType({zeroDim(DType::F32), zeroDim(DType::F64)}), DType::F64);
  EXPECT_EQ(resultType({{DType::BF16}, half}), DType::BF16);
  EXPECT_EQ(resultType({{DType::U8}, one}), DType::U8);
  EXPECT_EQ(resultType({{DType::I64}, half}), DType::F32);
  EXPECT_EQ(resultType({{DType::Bool}, one}), DType::I64);
  EXPECT_EQ(resultType({{DType::Bool}, truth}), DType::Bool);
  EXPECT_EQ(resultType({{DType::F64}, imaginary}), DType::C128);
  EXPECT_EQ(resultType({{DType::I64}, imaginary}), DType::C64);
  EXPECT_EQ(resultType({one, half}), DType::F32);
  EXPECT_EQ(resultType({}), DType::F32);
}

TEST(CanStore, OnlyWhereTheClassDoesNotFall) {
  EXPECT_TRUE(canStore(DType::F64, DType::F16));
  EXPECT_TRUE(canStore(DType::I64, DType::F16));
  EXPECT_FALSE(canStore(DType::F32, DType::I64));
  EXPECT_FALSE(canStore(DType::C64, DType::F64));
}

TEST(Broadcast, AlignsAtTheLastDimension) {
  EXPECT_EQ(broadcastSizes({2, 1, 4}, {3, 1}), (IntList{2, 3, 4}));
  EXPECT_EQ(broadcastSizes({}, {3}), IntList{3});
  EXPECT_EQ(broadcastSizes({0}, {1}), IntList{0});
  EXPECT_FALSE(broadcastSizes({2}, {3}));
  EXPECT_FALSE(broadcastSizes({0}, {3}));
}

TEST(Expanded, StretchesOnesAndPutsNewDimensionsInFront) {
  std::optional<Stretched> wide = expanded({3, 1}, {1, 1}, {2, -1, 4});
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->sizes, (IntList{2, 3, 4}));
  EXPECT_EQ(wide->strides, (IntList{0, 1, 0}));
  EXPECT_EQ(expanded({3}, {1}, {1, 3})->strides, (IntList{3, 1}));
  EXPECT_EQ(expanded({}, {}, {1})->strides, IntList{0});
  EXPECT_FALSE(expanded({3}, {1}, {4}));
  EXPECT_FALSE(expanded({3}, {1}, {-1, 3}));
  EXPECT_FALSE(expanded({3, 1}, {1, 1}, {3}));
}

TEST(Strides, OfNewMemory) {
  EXPECT_EQ(contiguousStrides({2, 3, 4}), (IntList{12, 4, 1}));
  EXPECT_EQ(contiguousStrides({2, 0, 4}), (IntList{4, 4, 1}));
  EXPECT_EQ(channelsLastStrides({2, 3, 4, 5}), (IntList{60, 1, 15, 3}));
  EXPECT_EQ(channelsLastStrides({2, 3, 4, 5, 6}), (IntList{360, 1, 90, 18, 3}));
  EXPECT_EQ(contiguousStrides({INT64_MAX, 4, 4}), (IntList{16, 4, 1}));
  EXPECT_EQ(preservedStrides({2, 3}, {1, 2}), (IntList{1, 2})) << "dense";
  EXPECT_EQ(preservedStrides({2, 3}, {2, 8}), (IntList{1, 2})) << "the order stays, the gaps go";
  EXPECT_EQ(preservedStrides({2, 3}, {0, 1}), (IntList{3, 1}));
}

TEST(Strides, SayWhatALayoutIs) {
  EXPECT_TRUE(isContiguous({2, 1, 3}, {3, 77, 1}));
  EXPECT_FALSE(isContiguous({2, 3}, {1, 2}));
  EXPECT_TRUE(isContiguous({0, 3}, {1, 7}));
  EXPECT_TRUE(isDense({2, 3}, {1, 2}));
  EXPECT_FALSE(isDense({2, 3}, {1, 3}));
  EXPECT_TRUE(isChannelsLast({2, 3, 4, 5}, {60, 1, 15, 3}));
  EXPECT_FALSE(isChannelsLast({2, 3, 4, 5}, {60, 20, 5, 1}));
  EXPECT_TRUE(hintsAtChannelsLast({2, 3, 4, 5}, {120, 1, 30, 6}));
  EXPECT_FALSE(hintsAtChannelsLast({1, 1, 1, 1}, {1, 1, 1, 1})) << "sizes of 1 leave it open";
  EXPECT_EQ(extentOf({2, 3}, {8, 2}), 13);
  EXPECT_EQ(extentOf({0, 3}, {8, 2}), 0);
}

TEST(Strides, OfElementwiseResultsKeepTheOrderOfTheOperands) {
  EXPECT_EQ(denseStridesLike({2, 3}, {IntListRef{1, 2}}), (IntList{1, 2}));
  EXPECT_EQ(denseStridesLike({2, 3}, {IntListRef{0, 1}, IntListRef{1, 2}}), (IntList{1, 2}))
      << "the second operand tells";
}

TEST(Strides, OfViewsNeedRunsOfMemory) {
  EXPECT_EQ(viewStrides({2, 3, 4}, {12, 4, 1}, {6, 4}), (IntList{4, 1}));
  EXPECT_EQ(viewStrides({2, 3, 4}, {24, 4, 1}, {2, 12}), (IntList{24, 1}));
  EXPECT_FALSE(viewStrides({2, 3, 4}, {24, 4, 1}, {6, 4}));
  EXPECT_EQ(viewStrides({4}, {2}, {2, 1, 2}), (IntList{4, 4, 2}));
  EXPECT_EQ(viewStrides({}, {}, {1, 1}), (IntList{1, 1}));
  EXPECT_EQ(viewStrides({0, 3}, {3, 1}, {3, 0}), (IntList{1, 1}));
}

TEST(InferSizes, FindsTheOneThatIsOpen) {
  EXPECT_EQ(inferSizes({2, -1}, 12), (IntList{2, 6}));
  EXPECT_FALSE(inferSizes({-1, -1}, 12));
  EXPECT_FALSE(inferSizes({5, -1}, 12));
  EXPECT_FALSE(inferSizes({0, -1}, 0)) << "any size would do";
  EXPECT_FALSE(inferSizes({4}, 12));
}

TEST(Arithmetic, OfSizesSaturates) {
  EXPECT_EQ(productOf({INT64_MAX, 2}), INT64_MAX);
  EXPECT_EQ(productOf({INT64_MAX, INT64_MAX, 0}), 0);
  EXPECT_EQ(productOf({}), 1);
  EXPECT_EQ(saturatingSum({INT64_MAX, 1}), INT64_MAX);
}

TEST(DeviceText, PrintsWhatItReads) {
  Context context;
  for (const char *text : {"cpu", "cuda", "cuda:0", "cuda:11", ""}) {
    std::optional<Device> device = parseDevice(context, text);
    ASSERT_TRUE(device) << text;
    EXPECT_EQ(deviceText(*device), text);
  }
  for (const char *text : {":0", "cuda:", "cuda:-1", "cu da", "cuda:x"})
    EXPECT_FALSE(parseDevice(context, text)) << text;
}

} // namespace
} // namespace ccgraph
