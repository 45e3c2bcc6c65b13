#include "ccgraph/ir/plan.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

std::optional<int64_t> unknown(llvm::StringRef) { return std::nullopt; }

TEST(Plan, AWindowReachesFromItsFirstElementToItsLast) {
  Context context;
  Dim sizes[] = {2, 3}, strides[] = {10, 1};
  const Type *type = context.tensor(DType::F32, {sizes, strides}, {context.identifier("cpu")});
  EXPECT_EQ(bytesOf({0, type, Dim(5)}, unknown), (ByteRange{20, 20 + 4 * 13}));
}

TEST(Plan, AnEmptyWindowReachesNothing) {
  Context context;
  Dim sizes[] = {0, 3}, strides[] = {3, 1};
  const Type *type = context.tensor(DType::F32, {sizes, strides}, {context.identifier("cpu")});
  EXPECT_EQ(bytesOf({0, type, Dim(5)}, unknown), (ByteRange{20, 20}));
}

TEST(Plan, AWindowOfSymbolicSizesIsKnownOnceTheyAre) {
  Context context;
  Dim sizes[] = {Dim(context.symbolic("s0"))}, strides[] = {1};
  const Type *type = context.tensor(DType::BF16, {sizes, strides}, {context.identifier("cpu")});
  PlanWindow window{0, type, Dim(context.symbolic("2*s0"))};
  EXPECT_EQ(bytesOf(window, unknown), std::nullopt);
  PlanLayout layout;
  layout.symbols = {{context.identifier("s0"), 8}};
  EXPECT_EQ(bytesOf(window, symbolsOf(layout)), (ByteRange{32, 48}));
}

TEST(Plan, AnExpandedDimensionReachesNoFurtherHoweverLarge) {
  Context context;
  Dim sizes[] = {Dim(context.symbolic("u0")), 3}, strides[] = {0, 1};
  const Type *type = context.tensor(DType::F32, {sizes, strides}, {context.identifier("cpu")});
  EXPECT_EQ(bytesOf({0, type, Dim(5)}, unknown), (ByteRange{20, 32}));
  EXPECT_EQ(bytesOf({0, type, Dim(5)}, [](llvm::StringRef) { return std::optional<int64_t>(0); }), (ByteRange{20, 20}));
}

TEST(Plan, AWindowThatNoMemoryHoldsIsRefused) {
  Context context;
  Dim sizes[] = {int64_t{1} << 40, int64_t{1} << 40}, strides[] = {int64_t{1} << 40, 1};
  const Type *type = context.tensor(DType::F32, {sizes, strides}, {context.identifier("cpu")});
  EXPECT_EQ(bytesOf({0, type, Dim(0)}, unknown), std::nullopt);
}

TEST(Plan, ACopiedTreeNamesItsOwnOperands) {
  Context context;
  Plan plan(context);
  Argument leaves[] = {Argument::operand(0), Argument::integer(7), Argument::operand(1)};
  Argument list = Argument::sequence(Argument::Kind::List, leaves);
  Argument copy = plan.copy(list, [](uint32_t index) { return index + 10; });
  ASSERT_EQ(copy.elements().size(), 3U);
  EXPECT_EQ(copy.elements()[0].operandIndex(), 10U);
  EXPECT_EQ(copy.elements()[1].integer(), 7);
  EXPECT_EQ(copy.elements()[2].operandIndex(), 11U);
}

TEST(Plan, AStepTouchesOperandsAndResults) {
  PlanStep step;
  KernelStep kernel;
  kernel.operands = {{PlanValue::tensor({0, nullptr, Dim(0)}), true, false},
                     {PlanValue::tensor({1, nullptr, Dim(0)}), false, false},
                     {PlanValue::number(4, nullptr), false, false}};
  kernel.result = PlanValue::list({PlanValue::tensor({2, nullptr, Dim(0)}), PlanValue()});
  step.work = std::move(kernel);
  std::vector<std::string> seen;
  forEachAccess(step, [&](const PlanAccess &access) {
    seen.push_back((access.window ? "b" + std::to_string(access.window->buffer) : "s" + std::to_string(access.slot)) +
                   (access.reads ? "r" : "") + (access.writes ? "w" : ""));
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"b0r", "s4r", "b2w"}));
}

} // namespace
