// Which nodes compareSteps names, for steps of two ranks that hold equal values.
#include "compared_steps.h"

namespace ccgraph::equality {
namespace {

struct LocatedStepTest : ComparedSteps {
  static std::string program(llvm::StringRef lines) {
    return ("class M(torch.nn.Module):\n    def forward(self, x: \"f32[4]\", g: \"f32[4]\"):\n" + lines).str();
  }
  void compare(llvm::StringRef one, llvm::StringRef parallel) {
    setSteps(program(one), program(parallel));
    const AxisPlacement equal;
    comparison.placements.inputs = {{0, 0, "x", {equal}, {}, {}}, {1, 1, "g", {equal}, {}, {}}};
    comparison.placements.outputs = {{0, 0, "y", {equal}, {}, {}}};
  }
  /// Returns "rank:node" of the first places.
  std::string firstPlaces(size_t count) {
    std::string text;
    const StepAnswer result = answer();
    for (const StepPlace &place : llvm::ArrayRef(result.where).take_front(count))
      text += std::to_string(place.rank) + ":" + place.node + " ";
    return text;
  }
};

constexpr const char *sumOfBoth = R"(
        add: "f32[4]" = torch.ops.aten.add.Tensor(x, g)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(add, g)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(mul)
        return (tanh,)
)";

TEST_F(LocatedStepTest, AStepThatOneOfTwoRanksHasIsNamedOnBoth) {
  compare(sumOfBoth, sumOfBoth);
  comparison.ranks[1].graph = read(program(R"(
        sub: "f32[4]" = torch.ops.aten.sub.Tensor(x, g)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(sub, g)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(mul)
        return (tanh,)
)"));
  EXPECT_EQ(firstPlaces(2), "0:add 1:sub ");
}

TEST_F(LocatedStepTest, TheOperandThatOneDeviceDoesNotReadIsNamed) {
  compare(R"(
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(x, 0.9)
        addcmul: "f32[4]" = torch.ops.aten.addcmul.default(mul, g, g)
        return (addcmul,)
)",
          R"(
        mul: "f32[4]" = torch.ops.aten.clone.default(x)
        addcmul: "f32[4]" = torch.ops.aten.addcmul.default(mul, g, g)
        return (addcmul,)
)");
  EXPECT_EQ(firstPlaces(2), "0:mul 0:addcmul ");
}

// A mean does not tell the order of the elements, so it does not show that the value is right.
TEST_F(LocatedStepTest, ARightMeanOfElementsInAnotherOrderExoneratesNothing) {
  compare(R"(
        tanh: "f32[4]" = torch.ops.aten.tanh.default(x)
        mean: "f32[]" = torch.ops.aten.mean.default(x)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(tanh, mean)
        return (mul,)
)",
          R"(
        roll: "f32[4]" = torch.ops.aten.roll.default(x, [2], [0])
        tanh: "f32[4]" = torch.ops.aten.tanh.default(roll)
        mean: "f32[]" = torch.ops.aten.mean.default(roll)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(tanh, mean)
        return (mul,)
)");
  EXPECT_EQ(firstPlaces(1), "0:roll ");
}

// The right output is computed from `mul` too, so the value that only the wrong one needs is named first.
TEST_F(LocatedStepTest, AValueOfARightOutputIsNamedLast) {
  compare(R"(
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(x, g)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(mul)
        div: "f32[4]" = torch.ops.aten.div.Tensor(mul, 4)
        return (tanh, div)
)",
          R"(
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(x, g)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(mul)
        div: "f32[4]" = torch.ops.aten.div.Tensor(mul, 2)
        return (tanh, div)
)");
  comparison.placements.outputs.push_back({1, 1, "z", {AxisPlacement()}, {}, {}});
  EXPECT_EQ(firstPlaces(1), "0:div ");
}

// The other element of the bucket is right, which says nothing of this one.
TEST_F(LocatedStepTest, AnElementOfABucketIsFollowedToItsTensor) {
  compare(R"(
        tanh: "f32[4]" = torch.ops.aten.tanh.default(x)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(tanh, g)
        sin: "f32[4]" = torch.ops.aten.sin.default(mul)
        cos: "f32[4]" = torch.ops.aten.cos.default(x)
        return (sin, cos)
)",
          R"(
        tanh: "f32[4]" = torch.ops.aten.tanh.default(x)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(tanh, tanh)
        sin: "f32[4]" = torch.ops.aten.sin.default(mul)
        cos: "f32[4]" = torch.ops.aten.cos.default(x)
        cat: "f32[8]" = torch.ops.aten.cat.default([sin, cos])
        all_reduce: "f32[8]" = torch.ops._c10d_functional.all_reduce.default(cat, 'avg', '0')
        wait_tensor: "f32[8]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        split = torch.ops.aten.split_with_sizes.default(wait_tensor, [4, 4])
        getitem: "f32[4]" = split[0]
        getitem_1: "f32[4]" = split[1]
        return (getitem, getitem_1)
)");
  comparison.placements.outputs.push_back({1, 1, "z", {AxisPlacement()}, {}, {}});
  EXPECT_EQ(firstPlaces(2), "0:tanh 0:mul ");
}

// No value before the reduction is one of the single step, but half of the reduced value makes the output right.
constexpr const char *shiftedSum = R"(
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(x, x)
        shift: "f32[4]" = torch.ops.aten.add.Tensor(mul, 1)
        sum_1: "f32[]" = torch.ops.aten.sum.default(shift)
        all_reduce: "f32[]" = torch.ops._c10d_functional.all_reduce.default(sum_1, 'sum', '0')
        wait_tensor: "f32[]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        sub: "f32[]" = torch.ops.aten.sub.Tensor(wait_tensor, 4)
        tanh: "f32[]" = torch.ops.aten.tanh.default(sub)
        return (tanh,)
)";
constexpr const char *sumOfSquares = R"(
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(x, x)
        sum_1: "f32[]" = torch.ops.aten.sum.default(mul)
        tanh: "f32[]" = torch.ops.aten.tanh.default(sum_1)
        return (tanh,)
)";

TEST_F(LocatedStepTest, AReductionAtWhichAFactorMakesTheOutputRightIsNamedFirst) {
  compare(sumOfSquares, shiftedSum);
  EXPECT_EQ(firstPlaces(1), "0:all_reduce ");
}

TEST_F(LocatedStepTest, AFactorThatBreaksARightOutputIsNoRepair) {
  std::string both = shiftedSum;
  both.replace(both.find("return (tanh,)"), 14, "return (tanh, wait_tensor)");
  std::string single = sumOfSquares;
  single.replace(single.find("return (tanh,)"), 14, "return (tanh, twice)");
  single.insert(single.find("        return"), R"(        shift: "f32[4]" = torch.ops.aten.add.Tensor(mul, 1)
        shifted: "f32[]" = torch.ops.aten.sum.default(shift)
        twice: "f32[]" = torch.ops.aten.mul.Tensor(shifted, 2)
)");
  compare(single, both);
  comparison.placements.outputs.push_back({1, 1, "z", {AxisPlacement()}, {}, {}});
  EXPECT_EQ(firstPlaces(1), "0:sub ");
}

// The product with the shifted value is none of the single step. With the other term, the difference is right.
TEST_F(LocatedStepTest, AValueThatLacksATermIsNamedFirst) {
  const std::string terms = R"(
        sin: "f32[4]" = torch.ops.aten.sin.default(x)
        cos: "f32[4]" = torch.ops.aten.cos.default(g)
)";
  compare(terms + R"(        add: "f32[4]" = torch.ops.aten.add.Tensor(sin, cos)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(add, x)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(mul)
        return (tanh,)
)",
          terms + R"(        add: "f32[4]" = torch.ops.aten.clone.default(sin)
        shift: "f32[4]" = torch.ops.aten.add.Tensor(x, 1)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(add, shift)
        sub: "f32[4]" = torch.ops.aten.sub.Tensor(mul, add)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(sub)
        return (tanh,)
)");
  EXPECT_EQ(firstPlaces(1), "0:add ");
}

// No value before the difference is one of the single step, but twice the first operand less the difference is.
constexpr const char *shiftedDifference = R"(
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(x, x)
        shift: "f32[4]" = torch.ops.aten.add.Tensor(mul, 1)
        sub: "f32[4]" = torch.ops.aten.sub.Tensor(shift, g)
        sub_1: "f32[4]" = torch.ops.aten.sub.Tensor(sub, 1)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(sub_1)
)";
constexpr const char *sumWithSquares = R"(
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(x, x)
        add: "f32[4]" = torch.ops.aten.add.Tensor(mul, g)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(add)
)";

TEST_F(LocatedStepTest, ADifferenceInPlaceOfASumIsNamedFirst) {
  const std::string result = "        return (tanh,)\n";
  compare(sumWithSquares + result, shiftedDifference + result);
  EXPECT_EQ(firstPlaces(1), "0:sub ");
}

// The product with zero is right for every other factor.
TEST_F(LocatedStepTest, ARightProductWithZeroDoesNotShowThatTheFactorIsRight) {
  const std::string results = R"(        zero: "f32[4]" = torch.ops.aten.mul.Tensor(x, 0)
        none: "f32[4]" = torch.ops.aten.mul.Tensor(zero, tanh)
        return (tanh, none)
)";
  compare(sumWithSquares + results, shiftedDifference + results);
  comparison.placements.outputs.push_back({1, 1, "z", {AxisPlacement()}, {}, {}});
  EXPECT_EQ(firstPlaces(1), "0:sub ");
}

// The factor is right in its first digit, which is all that the square of a multiple of p tells.
TEST_F(LocatedStepTest, ARightSquareOfMultiplesDoesNotShowThatTheFactorIsRight) {
  const std::string results = R"(        _softmax: "f32[4]" = torch.ops.aten._softmax.default(x, 0, False)
        _softmax_1: "f32[4]" = torch.ops.aten._softmax.default(g, 0, False)
        small: "f32[4]" = torch.ops.aten.sub.Tensor(_softmax, _softmax_1)
        slight: "f32[4]" = torch.ops.aten.mul.Tensor(small, tanh)
        factor: "f32[4]" = torch.ops.aten.add.Tensor(slight, 1)
        scaled: "f32[4]" = torch.ops.aten.mul.Tensor(small, factor)
        square: "f32[4]" = torch.ops.aten.mul.Tensor(scaled, scaled)
        return (factor, square)
)";
  compare(sumWithSquares + results, shiftedDifference + results);
  comparison.placements.outputs.push_back({1, 1, "z", {AxisPlacement()}, {}, {}});
  EXPECT_EQ(firstPlaces(1), "0:sub ");
}

// 8 is no number of ranks. Taking back either quotient makes the output right.
TEST_F(LocatedStepTest, BothOfTwoScalesAreNamedFirst) {
  compare(R"(
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(x, x)
        div: "f32[4]" = torch.ops.aten.div.Tensor(mul, 8)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(div)
        return (tanh,)
)",
          R"(
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(x, x)
        shift: "f32[4]" = torch.ops.aten.add.Tensor(mul, 8)
        div: "f32[4]" = torch.ops.aten.div.Tensor(shift, 8)
        div_1: "f32[4]" = torch.ops.aten.div.Tensor(div, 8)
        sub: "f32[4]" = torch.ops.aten.sub.Tensor(div_1, 1)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(sub)
        return (tanh,)
)");
  EXPECT_EQ(firstPlaces(2), "0:div 0:div_1 ");
}

TEST_F(LocatedStepTest, WhatStandsInPlaceOfALackingStepIsNamedFirst) {
  compare(sumOfBoth, sumOfBoth);
  comparison.ranks.push_back(comparison.ranks.front());
  comparison.placements.mesh = {{"dp", 3}};
  comparison.ranks[2].graph = read(program(R"(
        clone: "f32[4]" = torch.ops.aten.clone.default(x)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(clone, g)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(mul)
        return (tanh,)
)"));
  EXPECT_EQ(firstPlaces(2), "2:clone 2:mul ");
}

} // namespace
} // namespace ccgraph::equality
