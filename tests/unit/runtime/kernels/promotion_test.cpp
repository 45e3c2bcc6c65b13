// Tests type promotion against the rules and examples of PyTorch's documentation ("Tensor Attributes: torch.dtype").
#include "unit/runtime/kernels/kernel_testing.h"

namespace ccgraph::runtime::testing {
namespace {

DType typeOfSum(const Value &a, const Value &b) { return call("aten.add.Tensor", {a, b}).tensor().dtype(); }
Tensor ones(DType dtype) { return tensor(dtype, {2}, {1, 1}); }
Tensor zeroDim(DType dtype) { return tensor(dtype, {}, {1}); }

TEST(ResultType, ZeroDimTensorsPromoteOnlyAcrossClasses) {
  EXPECT_EQ(typeOfSum(ones(DType::F32), zeroDim(DType::F64)), DType::F32);
  EXPECT_EQ(typeOfSum(ones(DType::I32), zeroDim(DType::I64)), DType::I32);
  EXPECT_EQ(typeOfSum(ones(DType::I64), zeroDim(DType::F16)), DType::F16);
  EXPECT_EQ(typeOfSum(zeroDim(DType::F32), zeroDim(DType::F64)), DType::F64);
  EXPECT_EQ(typeOfSum(ones(DType::F16), zeroDim(DType::F32)), DType::F16);
}

TEST(ResultType, NumbersPromoteOnlyAcrossClasses) {
  EXPECT_EQ(typeOfSum(ones(DType::BF16), number(1.5)), DType::BF16);
  EXPECT_EQ(typeOfSum(ones(DType::U8), number(1000)), DType::U8);
  EXPECT_EQ(typeOfSum(ones(DType::I64), number(1.5)), DType::F32);
  EXPECT_EQ(typeOfSum(ones(DType::Bool), number(1)), DType::I64);
  EXPECT_EQ(typeOfSum(zeroDim(DType::F64), number(1.5)), DType::F64);
  EXPECT_EQ(typeOfSum(zeroDim(DType::I32), number(1)), DType::I32);
  EXPECT_EQ(typeOfSum(ones(DType::F32), Value::boolean(true)), DType::F32);
}

TEST(ResultType, AlphaTakesNoPart) {
  EXPECT_EQ(typeOf("aten.add.Tensor", {ones(DType::F32), ones(DType::F32), number(2)}), "f32[2][1]");
}

TEST(ResultType, DivisionOfIntegersIsFloat) {
  EXPECT_EQ(typeOf("aten.div.Tensor", {ones(DType::I64), number(2)}), "f32[2][1]");
  EXPECT_EQ(typeOf("aten.div.Tensor", {ones(DType::F64), ones(DType::I64)}), "f64[2][1]");
  EXPECT_EQ(typeOf("aten.div.Tensor_mode", {ones(DType::I64), number(2)}, {{"rounding_mode", Value::string("floor")}}),
            "i64[2][1]");
  EXPECT_EQ(typeOf("aten.exp.default", {ones(DType::Bool)}), "f32[2][1]");
  EXPECT_EQ(typeOf("aten.relu.default", {ones(DType::I32)}), "i32[2][1]");
}

TEST(ResultType, ComparisonsYieldBool) {
  EXPECT_EQ(typeOf("aten.lt.Scalar", {ones(DType::I64), number(0.5)}), "b8[2][1]");
  EXPECT_EQ(typeOf("aten.eq.Tensor", {ones(DType::BF16), ones(DType::I8)}), "b8[2][1]");
}

TEST(ResultType, SumsOfIntegersAreWide) {
  EXPECT_EQ(typeOf("aten.sum.default", {ones(DType::I32)}), "i64[][]");
  EXPECT_EQ(typeOf("aten.sum.default", {ones(DType::Bool)}), "i64[][]");
  EXPECT_EQ(typeOf("aten.sum.default", {ones(DType::F16)}), "f16[][]");
  EXPECT_EQ(typeOf("aten.sum.default", {ones(DType::I8)}, {{"dtype", Value::dtype(DType::F64)}}), "f64[][]");
  EXPECT_EQ(typeOf("aten.cumsum.default", {ones(DType::Bool), number(0)}), "i64[2][1]");
}

TEST(ResultType, InPlaceKeepsTheTargetsDType) {
  EXPECT_EQ(typeOf("aten.add_.Tensor", {ones(DType::F32), ones(DType::F64)}), "f32[2][1]");
  EXPECT_NE(failure("aten.add_.Tensor", {ones(DType::I64), ones(DType::F32)}).find("cannot be stored"),
            std::string::npos);
}

TEST(ResultType, CatPromotesAllParts) {
  EXPECT_EQ(typeOf("aten.cat.default", {Value::tensors({ones(DType::I64), ones(DType::F16)})}), "f16[4][1]");
  // torch.cat skips an empty 1-d tensor, but promotes with it.
  EXPECT_EQ(typeOf("aten.cat.default", {Value::tensors({tensor(DType::F64, {0}, {}), ones(DType::F32)})}), "f64[2][1]");
}

} // namespace
} // namespace ccgraph::runtime::testing
