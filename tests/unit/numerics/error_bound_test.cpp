// Bounds of the errors of small expressions, by the formulas of error_bound.h.
#include "unit/numerics/compared_programs.h"

namespace ccgraph::numerics {
namespace {

struct ErrorBoundTest : ComparedPrograms {
  /// Returns the bound of the error of the first output in ulps; -1: unknown.
  double bound(llvm::StringRef parameters, llvm::StringRef lines) {
    compare(parameters, lines, lines);
    return answer().outputs.front().beforeUlps.value_or(-1);
  }
};

const char *const vectors = R"(x: "f32[4][1]cpu", y: "f32[4][1]cpu", z: "bf16[4][1]cpu")";

TEST_F(ErrorBoundTest, AnInputIsExact) { EXPECT_EQ(bound(vectors, "        return (x,)\n"), 0); }

TEST_F(ErrorBoundTest, OneAdditionIsOneRounding) {
  EXPECT_NEAR(bound(vectors, R"(
        a: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(x, y)
        return (a,)
)"),
              1, 1e-3);
}

TEST_F(ErrorBoundTest, AProductAddsTheRoundingsOfItsFactors) {
  EXPECT_NEAR(bound(vectors, R"(
        a: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(x, y)
        b: "f32[4][1]cpu" = torch.ops.aten.mul.Tensor(a, a)
        return (b,)
)"),
              3, 1e-3);
}

TEST_F(ErrorBoundTest, ARoundingToBfloatCountsInUlpsOfTheOutput) {
  EXPECT_NEAR(bound(vectors, R"(
        low: "bf16[4][1]cpu" = torch.ops.prims.convert_element_type.default(x, torch.bfloat16)
        high: "f32[4][1]cpu" = torch.ops.prims.convert_element_type.default(low, torch.float32)
        return (high,)
)"),
              65536, 600);
}

TEST_F(ErrorBoundTest, AnExactCastIsNoRounding) {
  EXPECT_EQ(bound(vectors, R"(
        high: "f32[4][1]cpu" = torch.ops.prims.convert_element_type.default(z, torch.float32)
        return (high,)
)"),
            0);
}

TEST_F(ErrorBoundTest, AQuotientByAnInputIsOneRounding) {
  EXPECT_NEAR(bound(vectors, R"(
        a: "f32[4][1]cpu" = torch.ops.aten.div.Tensor(x, y)
        return (a,)
)"),
              1, 1e-3);
}

/// The sum may cancel, and the quotient be any number.
TEST_F(ErrorBoundTest, AQuotientByASumIsUnknown) {
  EXPECT_EQ(bound(vectors, R"(
        a: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(x, y)
        b: "f32[4][1]cpu" = torch.ops.aten.div.Tensor(x, a)
        return (b,)
)"),
            -1);
}

TEST_F(ErrorBoundTest, AFunctionWithoutARuleIsUnknown) {
  EXPECT_EQ(bound(vectors, R"(
        a: "f32[4][1]cpu" = torch.ops.aten.exp.default(x)
        return (a,)
)"),
            -1);
}

TEST_F(ErrorBoundTest, ANumberThatF32DoesNotHoldIsRounded) {
  EXPECT_NEAR(bound(vectors, R"(
        a: "f32[4][1]cpu" = torch.ops.aten.mul.Tensor(x, 0.1)
        return (a,)
)"),
              2, 1e-3);
}

TEST_F(ErrorBoundTest, ASumOfTheRanksRoundsOncePerAddition) {
  ranks = 4;
  const char *const sum = R"(
        all_reduce: "bf16[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(z, 'sum', '0')
        wait: "bf16[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (wait,)
)";
  EXPECT_NEAR(bound(vectors, sum), 3, 0.1);
}

TEST_F(ErrorBoundTest, InF64ASumOfTheRanksRoundsOnce) {
  ranks = 4;
  comparison.order = SumOrder::Ranks;
  EXPECT_NEAR(bound(vectors, R"(
        all_reduce: "bf16[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(z, 'sum', '0')
        wait: "bf16[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (wait,)
)"),
              1, 0.01);
}

TEST_F(ErrorBoundTest, AProductOfMatricesRoundsAsOftenAsItsInnerSize) {
  EXPECT_NEAR(bound(R"(x: "f32[2, 4][4, 1]cpu", w: "f32[4, 2][2, 1]cpu")", R"(
        mm: "f32[2, 2][2, 1]cpu" = torch.ops.aten.mm.default(x, w)
        return (mm,)
)"),
              7, 0.01);
}

} // namespace
} // namespace ccgraph::numerics
