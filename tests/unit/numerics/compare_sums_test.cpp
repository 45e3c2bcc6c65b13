// compareSums on programs of a few nodes: what is bitwise equal, and what must not be said to be.
#include "unit/numerics/compared_programs.h"

namespace ccgraph::numerics {
namespace {

using CompareSumsTest = ComparedPrograms;

const char *const oneSum = R"(
        all_reduce: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
        wait: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (wait, y)
)";
const char *const bucketOfSums = R"(
        cat: "f32[8][1]cpu" = torch.ops.aten.cat.default([x, y])
        all_reduce: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(cat, 'sum', '0')
        wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        part: "f32[4][1]cpu" = torch.ops.aten.slice.Tensor(wait, 0, 0, 4)
        return (part, y)
)";
const char *const twoVectors = R"(x: "f32[4][1]cpu", y: "f32[4][1]cpu")";

TEST_F(CompareSumsTest, ABucketOfTwoRanksIsEqual) {
  compare(twoVectors, oneSum, bucketOfSums);
  EXPECT_EQ(verdict(), "equal");
}

TEST_F(CompareSumsTest, ABucketOfMoreRanksMayAddInAnotherOrder) {
  ranks = 3;
  compare(twoVectors, oneSum, bucketOfSums);
  const SumAnswer result = answer();
  ASSERT_EQ(result.outputs.size(), 6U);
  EXPECT_EQ(result.outputs[0].cause, "bucket");
  ASSERT_EQ(result.outputs[0].before.size(), 1U);
  EXPECT_EQ(result.outputs[0].before[0].what, "sum over ranks 0, 1 and 2 of 4 elements in f32");
  EXPECT_EQ(result.outputs[0].after[0].what, "sum over ranks 0, 1 and 2 of 8 elements in f32");
  EXPECT_TRUE(result.outputs[1].isBitwiseEqual) << "y is not summed";
  // Two sums, each of two additions that round once, and once more in a wider dtype.
  ASSERT_TRUE(result.outputs[0].differenceUlps.has_value());
  EXPECT_NEAR(*result.outputs[0].differenceUlps, 4, 1e-3);
}

TEST_F(CompareSumsTest, InTheOrderOfRanksABucketIsEqual) {
  ranks = 3;
  comparison.order = SumOrder::Ranks;
  compare(twoVectors, oneSum, bucketOfSums);
  EXPECT_EQ(verdict(), "equal");
}

TEST_F(CompareSumsTest, AChunkIsNamed) {
  ranks = 3;
  compare(twoVectors, bucketOfSums, oneSum);
  EXPECT_EQ(verdict(), "chunk");
}

TEST_F(CompareSumsTest, ASumByHalvesIsAnotherOrder) {
  ranks = 4;
  comparison.order = SumOrder::Ranks;
  compare(twoVectors, oneSum, R"(
        inner: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', 'pair')
        wait_inner: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(inner)
        outer: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(wait_inner, 'sum', 'other')
        wait: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(outer)
        return (wait, y)
)");
  EXPECT_EQ(verdict(), "rank order");
}

TEST_F(CompareSumsTest, AReduceScatterAndAGatherAreASumOfTwo) {
  compare(twoVectors, oneSum, R"(
        scatter: "f32[2][1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(x, 'sum', 2, '0')
        part: "f32[2][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(scatter)
        gather: "f32[4][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(part, 2, '0')
        wait: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(gather)
        return (wait, y)
)");
  EXPECT_EQ(verdict(), "equal");
}

TEST_F(CompareSumsTest, ASumInALowerDtypeIsNamed) {
  compare(twoVectors, oneSum, R"(
        low: "bf16[4][1]cpu" = torch.ops.prims.convert_element_type.default(x, torch.bfloat16)
        all_reduce: "bf16[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(low, 'sum', '0')
        wait: "bf16[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        high: "f32[4][1]cpu" = torch.ops.prims.convert_element_type.default(wait, torch.float32)
        return (high, y)
)");
  EXPECT_EQ(verdict(), "dtype");
}

TEST_F(CompareSumsTest, AnExactCastAndItsInverseAreNothing) {
  compare(R"(x: "bf16[4][1]cpu")", "        return (x,)\n", R"(
        high: "f32[4][1]cpu" = torch.ops.prims.convert_element_type.default(x, torch.float32)
        low: "bf16[4][1]cpu" = torch.ops.prims.convert_element_type.default(high, torch.bfloat16)
        return (low,)
)");
  EXPECT_EQ(verdict(), "equal");
}

TEST_F(CompareSumsTest, ARoundingCastAndItsInverseAreNotNothing) {
  compare(R"(x: "f32[4][1]cpu")", "        return (x,)\n", R"(
        low: "bf16[4][1]cpu" = torch.ops.prims.convert_element_type.default(x, torch.bfloat16)
        high: "f32[4][1]cpu" = torch.ops.prims.convert_element_type.default(low, torch.float32)
        return (high,)
)");
  EXPECT_EQ(verdict(), "dtype");
}

TEST_F(CompareSumsTest, AWriteIsSeenByEveryView) {
  compare(twoVectors, R"(
        half: "f32[2][1]cpu" = torch.ops.aten.slice.Tensor(x, 0, 0, 2)
        add: "f32[2][1]cpu" = torch.ops.aten.add_.Tensor(half, half)
        return (x,)
)",
          R"(
        half: "f32[2][1]cpu" = torch.ops.aten.slice.Tensor(x, 0, 0, 2)
        sum_1: "f32[2][1]cpu" = torch.ops.aten.add.Tensor(half, half)
        copy: "f32[2][1]cpu" = torch.ops.aten.copy_.default(half, sum_1)
        return (x,)
)");
  const SumAnswer result = answer();
  ASSERT_EQ(result.outputs.size(), 4U);
  EXPECT_EQ(result.outputs[1].name, "after.x");
  EXPECT_TRUE(result.allBitwiseEqual());
}

TEST_F(CompareSumsTest, AWriteOfAnotherHalfIsSeen) {
  compare(twoVectors, R"(
        half: "f32[2][1]cpu" = torch.ops.aten.slice.Tensor(x, 0, 0, 2)
        add: "f32[2][1]cpu" = torch.ops.aten.add_.Tensor(half, half)
        return (y,)
)",
          R"(
        half: "f32[2][1]cpu" = torch.ops.aten.slice.Tensor(x, 0, 2, 4)
        add: "f32[2][1]cpu" = torch.ops.aten.add_.Tensor(half, half)
        return (y,)
)");
  const SumAnswer result = answer();
  ASSERT_EQ(result.outputs.size(), 4U);
  EXPECT_TRUE(result.outputs[0].isBitwiseEqual);
  EXPECT_FALSE(result.outputs[1].isBitwiseEqual);
}

TEST_F(CompareSumsTest, AddsInAnotherOrder) {
  compare(R"(x: "f32[4][1]cpu", y: "f32[4][1]cpu", z: "f32[4][1]cpu")", R"(
        a: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(x, y)
        b: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(a, z)
        return (b, a)
)",
          R"(
        a: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(y, z)
        b: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(x, a)
        c: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(y, x)
        return (b, c)
)");
  const SumAnswer result = answer();
  EXPECT_EQ(result.outputs[0].cause, "order of addition");
  EXPECT_TRUE(result.outputs[0].differenceUlps.has_value());
  EXPECT_TRUE(result.outputs[1].isBitwiseEqual) << "a sum of two has one order";
}

TEST_F(CompareSumsTest, ADifferenceHasAnOrder) {
  compare(twoVectors, R"(
        sub: "f32[4][1]cpu" = torch.ops.aten.sub.Tensor(x, y)
        return (sub,)
)",
          R"(
        sub: "f32[4][1]cpu" = torch.ops.aten.sub.Tensor(y, x)
        return (sub,)
)");
  const SumAnswer result = answer();
  EXPECT_FALSE(result.outputs[0].isBitwiseEqual);
  EXPECT_FALSE(result.outputs[0].isSameFunction);
}

TEST_F(CompareSumsTest, TheMaximumOfEqualNumbersIsTheNumber) {
  ranks = 3;
  compare(twoVectors, R"(
        gather: "f32[12][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 3, '0')
        all: "f32[12][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(gather)
        all_reduce: "f32[12][1]cpu" = torch.ops._c10d_functional.all_reduce.default(all, 'max', '0')
        wait: "f32[12][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (wait,)
)",
          R"(
        gather: "f32[12][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 3, '0')
        all: "f32[12][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(gather)
        return (all,)
)");
  EXPECT_EQ(verdict(), "equal");
}

const char *const threeTimesTheSame = R"(
        sent: "f32[4][1]cpu" = torch.ops._c10d_functional.broadcast.default(x, 0, '0')
        same: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(sent)
        all_reduce: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(same, 'sum', '0')
        wait: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (wait,)
)";
const char *const aMultiple = R"(
        sent: "f32[4][1]cpu" = torch.ops._c10d_functional.broadcast.default(x, 0, '0')
        same: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(sent)
        mul: "f32[4][1]cpu" = torch.ops.aten.mul.Tensor(same, 3)
        return (mul,)
)";

TEST_F(CompareSumsTest, InF64TheSumOfEqualNumbersIsAMultiple) {
  ranks = 3;
  comparison.order = SumOrder::Ranks;
  compare(twoVectors, threeTimesTheSame, aMultiple);
  EXPECT_EQ(verdict(), "equal");
}

TEST_F(CompareSumsTest, InAnyOrderTheSumOfEqualNumbersIsRoundedMoreOften) {
  ranks = 3;
  compare(twoVectors, threeTimesTheSame, aMultiple);
  EXPECT_EQ(verdict(), "another operation");
}

TEST_F(CompareSumsTest, AFunctionOfADifferentSumHasNoBound) {
  ranks = 3;
  compare(twoVectors, R"(
        all_reduce: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
        wait: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        exp: "f32[4][1]cpu" = torch.ops.aten.exp.default(wait)
        return (exp,)
)",
          R"(
        cat: "f32[8][1]cpu" = torch.ops.aten.cat.default([x, y])
        all_reduce: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(cat, 'sum', '0')
        wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        part: "f32[4][1]cpu" = torch.ops.aten.slice.Tensor(wait, 0, 0, 4)
        exp: "f32[4][1]cpu" = torch.ops.aten.exp.default(part)
        return (exp,)
)");
  const SumAnswer result = answer();
  EXPECT_EQ(result.outputs[0].cause, "bucket");
  EXPECT_FALSE(result.outputs[0].differenceUlps.has_value());
}

/// Only the elements of one gradient count, not those beside it in the bucket.
TEST_F(CompareSumsTest, ABucketWithAnUnknownValueIsBounded) {
  ranks = 3;
  compare(twoVectors, oneSum, R"(
        exp: "f32[4][1]cpu" = torch.ops.aten.exp.default(y)
        cat: "f32[8][1]cpu" = torch.ops.aten.cat.default([x, exp])
        all_reduce: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(cat, 'sum', '0')
        wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        part: "f32[4][1]cpu" = torch.ops.aten.slice.Tensor(wait, 0, 0, 4)
        return (part, y)
)");
  const SumAnswer result = answer();
  EXPECT_EQ(result.outputs[0].cause, "bucket");
  EXPECT_EQ(result.outputs[0].after.size(), 1U);
  ASSERT_TRUE(result.outputs[0].differenceUlps.has_value());
  EXPECT_NEAR(*result.outputs[0].differenceUlps, 4, 1e-3);
}

TEST_F(CompareSumsTest, ASplitProductIsNamedAndBounded) {
  compare(R"(x: "f32[2, 4][4, 1]cpu", w: "f32[4, 2][2, 1]cpu")", R"(
        mm: "f32[2, 2][2, 1]cpu" = torch.ops.aten.mm.default(x, w)
        return (mm,)
)",
          R"(
        xa: "f32[2, 2][4, 1]cpu" = torch.ops.aten.slice.Tensor(x, 1, 0, 2)
        xb: "f32[2, 2][4, 1]cpu" = torch.ops.aten.slice.Tensor(x, 1, 2, 4)
        wa: "f32[2, 2][2, 1]cpu" = torch.ops.aten.slice.Tensor(w, 0, 0, 2)
        wb: "f32[2, 2][2, 1]cpu" = torch.ops.aten.slice.Tensor(w, 0, 2, 4)
        a: "f32[2, 2][2, 1]cpu" = torch.ops.aten.mm.default(xa, wa)
        b: "f32[2, 2][2, 1]cpu" = torch.ops.aten.mm.default(xb, wb)
        sum_1: "f32[2, 2][2, 1]cpu" = torch.ops.aten.add.Tensor(a, b)
        return (sum_1,)
)");
  const SumAnswer result = answer();
  EXPECT_EQ(result.outputs[0].cause, "split sum");
  EXPECT_TRUE(result.outputs[0].differenceUlps.has_value());
}

TEST_F(CompareSumsTest, OtherInputsAreRejected) {
  compare(twoVectors, oneSum, oneSum);
  comparison.after[1].graph = program(R"(x: "f32[4][1]cpu", y: "f32[8][1]cpu")", "        return (x, x)\n");
  EXPECT_EQ(undecided(), "error: input 1 of rank 1 is f32[4][1]cpu before and f32[8][1]cpu after [same.numerics]\n"
                         "  note: compare two programs of one job, with equal inputs in one order\n");
}

} // namespace
} // namespace ccgraph::numerics
