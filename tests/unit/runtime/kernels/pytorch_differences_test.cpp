// Tests cases in which kernels once differed from PyTorch: every expectation is the result of PyTorch 2.15 on the CPU.
#include "unit/runtime/kernels/kernel_testing.h"

#include <cmath>

namespace ccgraph::runtime::testing {
namespace {

constexpr double nan = NAN;

TEST(PyTorchDifferences, NaNWinsInBothExtremes) {
  for (const char *target : {"aten.argmax.default", "aten.argmin.default"})
    EXPECT_EQ(valuesOf(target, {f32({4}, {1, nan, -2, nan})}), Doubles{1}) << target;
  Value least = call("aten.min.dim", {f32({2, 2}, {1, nan, 3, 2}), number(1)});
  EXPECT_TRUE(std::isnan(values(least.list()[0].tensor())[0]));
  EXPECT_EQ(values(least.list()[1].tensor()), (Doubles{1, 1}));
}

TEST(PyTorchDifferences, NaNBoundsClampToNaN) {
  for (double value : valuesOf("aten.clamp.default", {f32({2}, {1, 2}), number(nan), number(5.0)}))
    EXPECT_TRUE(std::isnan(value));
}

TEST(PyTorchDifferences, BoundsThatNoElementCanPassExcludeNone) {
  Tensor x = tensor(DType::U8, {2}, {1, 200});
  EXPECT_EQ(valuesOf("aten.clamp.default", {x, number(-5), number(300)}), (Doubles{1, 200}));
  EXPECT_EQ(valuesOf("aten.clamp_min.default", {x, number(-5)}), (Doubles{1, 200}));
  EXPECT_EQ(valuesOf("aten.clamp_max.default", {tensor(DType::I8, {2}, {-100, 100}), number(1000)}),
            (Doubles{-100, 100}));
  EXPECT_NE(failure("aten.clamp_max.default", {x, number(-5)}).find("which u8 does not hold"), std::string::npos);
}

TEST(PyTorchDifferences, SignsAndStepsOfNaNAreZero) {
  EXPECT_EQ(valuesOf("aten.sign.default", {f32({2}, {nan, -3})}), (Doubles{0, -1}));
  EXPECT_EQ(valuesOf("aten.heaviside.default", {f32({2}, {nan, 0}), f32({2}, {5, 5})}), (Doubles{0, 5}));
}

/// Returns for each element "-" if it is negative, or -0.
std::string signsOf(const Tensor &tensor) {
  std::string signs;
  for (double value : values(tensor))
    signs += std::signbit(value) ? '-' : '+';
  return signs;
}

TEST(PyTorchDifferences, RunningSumsBeginAtZero) {
  for (DType dtype : {DType::F32, DType::BF16, DType::F64}) {
    Tensor x = tensor(dtype, {3}, {-0.0, -0.0, 1});
    EXPECT_EQ(signsOf(call("aten.cumsum.default", {x, number(0)}).tensor()), "+++");
    EXPECT_EQ(signsOf(call("aten.cumprod.default", {x, number(0)}).tensor()), "-++");
  }
}

TEST(PyTorchDifferences, AProductOfOneTermKeepsItsSign) {
  Tensor a = f32({2, 1}, {-0.0, -0.0}), b = f32({1, 3}, {1, 1, 1}), row = f32({1, 1}, {-0.0});
  auto negative = [](int64_t count) { return tensor(DType::F32, {count}, std::vector<double>(count, -0.0)); };
  EXPECT_EQ(signsOf(call("aten.mm.default", {a, b}).tensor()), "------");
  EXPECT_EQ(signsOf(call("aten.mm.default", {row, b}).tensor()), "+++"); // a vector and a matrix
  EXPECT_EQ(signsOf(call("aten.addmm.default", {negative(3), a, b}).tensor()), "------");
  EXPECT_EQ(signsOf(call("aten.addmm.default", {f32({3}, {0, 0, 0}), a, b}).tensor()), "++++++");
  Tensor twice = f32({2, 2}, {-0.0, -0.0, -0.0, -0.0}), both = f32({2, 2}, {1, 1, 1, 1});
  EXPECT_EQ(signsOf(call("aten.mm.default", {twice, both}).tensor()), "++++");
  Tensor half = tensor(DType::BF16, {2, 1}, {-0.0, -0.0}), ones = tensor(DType::BF16, {1, 2}, {1, 1});
  EXPECT_EQ(signsOf(call("aten.mm.default", {half, ones}).tensor()), "++++");
  Tensor batch = f32({1, 2, 1}, {-0.0, -0.0}), factors = f32({1, 1, 2}, {1, 1});
  EXPECT_EQ(signsOf(call("aten.bmm.default", {batch, factors}).tensor()), "++++");
}

TEST(PyTorchDifferences, ReluKeepsTheSignOfZero) {
  Tensor x = f32({4}, {-0.0, 0.0, -1.0, 2.0});
  EXPECT_EQ(signsOf(call("aten.relu.default", {x}).tensor()), "-+++");
  EXPECT_EQ(signsOf(call("aten.clamp_min.default", {x, number(0)}).tensor()), "-+++");
}

TEST(PyTorchDifferences, TruthOfU8IsU8) {
  Tensor x = tensor(DType::U8, {2}, {0, 7});
  EXPECT_EQ(typeOf("aten.any.default", {x}), "u8[][]");
  EXPECT_EQ(typeOf("aten.all.dim", {x, number(0)}), "u8[][]");
  EXPECT_EQ(typeOf("aten.any.default", {i64({1}, {7})}), "b8[][]");
}

TEST(PyTorchDifferences, LinearResamplingOfF64ComputesPlacesInF64) {
  Tensor x = tensor(DType::F64, {1, 1, 1, 3}, {0, 1, 2});
  Value::List sizes{x, integers({1, 7}), Value::boolean(true)};
  expectNear(valuesOf("aten.upsample_bilinear2d.default", sizes), {0, 1.0 / 3, 2.0 / 3, 1, 4.0 / 3, 5.0 / 3, 2}, 1e-14);
}

/// Returns [rows, columns] of counting numbers: every second element of a larger block of memory, column-major.
Tensor scattered(int64_t rows, int64_t columns) {
  Tensor wide = Tensor::zeros(DType::F32, {columns, 2 * rows + 1});
  Tensor view = wide.slice(1, 1, 2 * rows + 1, 2).permute({1, 0});
  view.copyFrom(counting({rows, columns}));
  return view;
}

TEST(PyTorchDifferences, ScattersOfViewsKeepStridesAndGaps) {
  Tensor x = scattered(3, 4), row = f32({4}, {9, 9, 9, 9});
  EXPECT_EQ(typeOf("aten.select_scatter.default", {x, row, number(0), number(1)}), "f32[3, 4][2, 7]");
  EXPECT_EQ(typeOf("aten.slice_scatter.default", {x, counting({1, 4}), number(0), number(0), number(1)}),
            "f32[3, 4][2, 7]");
  EXPECT_EQ(typeOf("aten.diagonal_scatter.default", {x, counting({3})}), "f32[3, 4][2, 7]");
  Value::List one{x, f32({1}, {7}), integers({1}), integers({1})};
  EXPECT_EQ(valuesOf("aten.as_strided_scatter.default", one)[0], 7) << "the offset left out is the tensor's own";
}

TEST(PyTorchDifferences, SomeResultsAreLaidOutAnew) {
  Tensor x = scattered(3, 4), index = i64({1}, {2});
  EXPECT_EQ(typeOf("aten.masked_fill.Scalar", {x, call("aten.gt.Scalar", {x, number(5)}), number(0)}),
            "f32[3, 4][4, 1]");
  EXPECT_EQ(typeOf("aten.index_add.default", {x, number(0), index, counting({1, 4})}), "f32[3, 4][4, 1]");
  EXPECT_EQ(typeOf("aten.index_copy.default", {x, number(0), index, counting({1, 4})}), "f32[3, 4][4, 1]");
  EXPECT_EQ(typeOf("aten.pow.Scalar", {number(2.0), x}), "f32[3, 4][4, 1]");
  EXPECT_EQ(typeOf("aten.lift_fresh_copy.default", {x}), "f32[3, 4][4, 1]");
  EXPECT_EQ(typeOf("aten.view_copy.default", {x, integers({6, 2})}), "f32[6, 2][2, 1]");
  EXPECT_EQ(typeOf("aten._reshape_alias.default", {x, integers({4, 3}), integers({3, 1})}), "f32[4, 3][3, 1]");
}

TEST(PyTorchDifferences, IndexingFollowsTheLayoutOfItsIndices) {
  Tensor index = i64({2, 2}, {0, 5, 1, 1}).permute({1, 0});
  EXPECT_EQ(typeOf("aten.index.Tensor", {counting({6, 4}), Value::tensors({index})}), "f32[2, 2, 4][4, 8, 1]");
}

TEST(PyTorchDifferences, TensorsWithoutDimensionsCountAsOneElement) {
  Tensor x = f32({}, {2}), zero = i64({1}, {0});
  EXPECT_EQ(typeOf("aten.index_select.default", {x, number(0), zero}), "f32[][]");
  EXPECT_EQ(valuesOf("aten.index_add.default", {x, number(0), zero, f32({}, {3})}), Doubles{5});
  EXPECT_EQ(valuesOf("aten.index_copy.default", {x, number(0), zero, f32({}, {3})}), Doubles{3});
  EXPECT_EQ(valuesOf("aten.unfold_backward.default", {f32({1}, {4}), integers({}), number(0), number(1), number(1)}),
            Doubles{4});
}

TEST(PyTorchDifferences, WhatNeedsNoWorkIsTheObjectThatWentIn) {
  Tensor x = counting({3}), y = counting({1});
  Value both = call("aten.broadcast_tensors.default", {Value::tensors({x, y})});
  EXPECT_TRUE(both.list()[0].tensor().isSameObject(x));
  EXPECT_FALSE(both.list()[1].tensor().isSameObject(y));
  EXPECT_TRUE(call("aten.positive.default", {x}).tensor().isSameObject(x));
  EXPECT_TRUE(call("aten._foreach_add_.Scalar", {Value::tensors({x}), number(1)}).isNone());
  EXPECT_EQ(values(x), (Doubles{1, 2, 3}));
}

TEST(PyTorchDifferences, RootsOfMinusInfinityAreNaNAsPowers) {
  Tensor x = f32({2}, {-INFINITY, 4});
  Doubles root = valuesOf("aten.pow.Tensor_Scalar", {x, number(0.5)});
  EXPECT_TRUE(std::isnan(root[0]));
  EXPECT_EQ(root[1], 2);
  EXPECT_TRUE(std::isnan(valuesOf("aten.pow.Tensor_Scalar", {x, number(-0.5)})[0]));
}

TEST(PyTorchDifferences, BoolsStayBoolOrBecomeIntegers) {
  Tensor a = tensor(DType::Bool, {2}, {1, 0});
  EXPECT_EQ(typeOf("aten.square.default", {a}), "i64[2][1]");
}

TEST(PyTorchDifferences, FloatsThatNoI32HoldsAreItsLeast) {
  EXPECT_EQ(valuesOf("prims.convert_element_type.default", {f32({3}, {nan, 1e10, -7.5}), Value::dtype(DType::I32)}),
            (Doubles{INT32_MIN, INT32_MIN, -7}));
}

TEST(PyTorchDifferences, CausalAttentionOfTheCpuTakesMoreKeysThanQueries) {
  Tensor q = f32({1, 1, 1, 1}, {0}), k = f32({1, 1, 2, 1}, {0, 0}), v = f32({1, 1, 2, 1}, {3, 5});
  Value both =
      call("aten._scaled_dot_product_flash_attention_for_cpu.default", {q, k, v, number(0.0), Value::boolean(true)});
  EXPECT_EQ(values(both.list()[0].tensor()), Doubles{3});
}

TEST(PyTorchDifferences, BatchNormWithoutStatisticsReadsNoArgumentTwice) {
  Value all = call("aten._native_batch_norm_legit.no_stats",
                   {counting({2, 2, 3}), Value(), Value(), Value::boolean(true), number(0.1), number(1e-5)});
  EXPECT_EQ(values(all.list()[1].tensor()), (Doubles{4, 7}));
}

TEST(PyTorchDifferences, LinearResamplingReadsBothNeighbours) {
  Tensor x = f32({1, 1, 1, 2}, {1, INFINITY});
  EXPECT_TRUE(std::isnan(valuesOf("aten.upsample_bilinear2d.default", {x, integers({1, 3}), Value::boolean(true)})[0]));
}

TEST(PyTorchDifferences, StoragesGrowAndShrinkUnderTheirTensors) {
  Tensor x = f32({2}, {1, 2});
  call("inductor.resize_storage_bytes_.default", {x, number(4)});
  EXPECT_EQ(values(x), (Doubles{1, 0})) << "what the storage lost reads as zeros";
  call("inductor.resize_storage_bytes_.default", {x, number(16)});
  EXPECT_EQ(x.storage()->size(), 16);
}

TEST(PyTorchDifferences, ComplexNumbersPromoteByTheirClass) {
  EXPECT_EQ(typeOf("aten.mul.Tensor", {f32({2}, {1, 2}), Value::complex({0, 1})}), "c64[2][1]");
  EXPECT_EQ(typeOf("aten.mul.Tensor", {tensor(DType::F64, {1}, {1}), Value::complex({0, 1})}), "c128[1][1]");
  EXPECT_EQ(typeOf("aten.add.Tensor", {i64({2}, {1, 2}), Value::complex({0, 1})}), "c64[2][1]");
}

TEST(PyTorchDifferences, TheZetaFunctionEndsAtANegligibleTerm) {
  Doubles got = valuesOf("aten.special_zeta.default", {f32({3}, {INFINITY, 2, INFINITY}), f32({3}, {-1.5, -1.5, 2})});
  EXPECT_EQ(got[0], INFINITY);
  EXPECT_NEAR(got[1], 9.379246644989124, 1e-5);
  EXPECT_TRUE(std::isnan(got[2]));
}

TEST(PyTorchDifferences, InfiniteRowsHaveNoLargestDifference) {
  Tensor rows = f32({2, 2}, {INFINITY, 1, -INFINITY, 1});
  Doubles got = valuesOf("aten._pdist_backward.default", {f32({1}, {1}), rows, number(INFINITY), f32({1}, {INFINITY})});
  EXPECT_TRUE(std::isnan(got[0]) && std::isnan(got[2]));
  EXPECT_EQ(got[1], 0);
}

TEST(PyTorchDifferences, WithoutPairsTheGradientOfDistancesHasTheSizesOfItsTensor) {
  Tensor none = f32({0, 3, 4}, {});
  EXPECT_EQ(typeOf("aten._cdist_backward.default", {none, counting({3, 5}), f32({0, 4, 5}, {}), number(1.0), none}),
            "f32[3, 5][5, 1]");
}

TEST(PyTorchDifferences, AnInfiniteTargetMakesAnInfiniteCrossEntropy) {
  EXPECT_EQ(valuesOf("aten.binary_cross_entropy_with_logits.default",
                     {f32({2}, {1, -2}), f32({2}, {INFINITY, -INFINITY}), Value(), Value(), number(0)}),
            (Doubles{-INFINITY, -INFINITY}));
}

TEST(PyTorchDifferences, TheRealEndsOfASpectrumHaveThePositiveZeroAsImaginaryPart) {
  for (int64_t size : {1, 2, 5, 6, 8}) {
    std::vector<double> signal;
    for (int64_t i = 0; i != size; ++i)
      signal.push_back(i % 2 == 0 ? -1.5 * static_cast<double>(i) : 0.7);
    Value spectrum =
        call("aten._fft_r2c.default", {f32({size}, signal), integers({0}), number(0), Value::boolean(true)});
    std::vector<double> parts = valuesOf("aten.view_as_real.default", {spectrum});
    EXPECT_FALSE(std::signbit(parts[1])) << size;
    EXPECT_EQ(parts[1], 0) << size;
    if (size % 2 == 0) {
      EXPECT_FALSE(std::signbit(parts.back())) << size;
      EXPECT_EQ(parts.back(), 0) << size;
    }
  }
}

TEST(PyTorchDifferences, SolutionsOfVectorsAreLaidOutByColumns) {
  Value solved =
      call("aten._linalg_solve_ex.default", {f32({2, 2, 2}, {2, 0, 0, 4, 1, 0, 0, 5}), f32({2, 2}, {2, 4, 3, 10}),
                                             Value::boolean(true), Value::boolean(false)});
  const Tensor &result = solved.list()[0].tensor();
  EXPECT_EQ(values(result), (Doubles{1, 1, 3, 2}));
  EXPECT_EQ(llvm::makeArrayRef(result.strides()), llvm::makeArrayRef<int64_t>({1, 2}));
}

TEST(PyTorchDifferences, GradientsOfNearestVolumesAreRowMajor) {
  Value channelsLast = call("aten.permute.default", {counting({1, 2, 2, 2, 2}), integers({0, 4, 1, 2, 3})});
  for (const char *target :
       {"aten._upsample_nearest_exact3d_backward.default", "aten.upsample_nearest3d_backward.default"})
    EXPECT_EQ(typeOf(target, {channelsLast, integers({2, 2, 2}), integers({1, 2, 1, 2, 2}), Value(), Value(), Value()}),
              "f32[1, 2, 1, 2, 2][8, 4, 4, 2, 1]")
        << target;
}

} // namespace
} // namespace ccgraph::runtime::testing
