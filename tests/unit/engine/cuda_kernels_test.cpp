// Tests the kernels for devices, executed on the CPU (device/run_on_host.h), against ccgraph's host kernels: values
// must be equal except for rounding, in any order of units, for each type and layout that they accept.
#include "both_ways.h"

namespace ccgraph::test {
namespace {

std::string refusalOf(llvm::StringRef target, const Values &arguments, const Tensors &destinations) {
  llvm::Expected<std::vector<runtime::device::Job>> jobs = runtime::cudaJobs(target, arguments, destinations);
  return jobs ? "" : llvm::toString(jobs.takeError());
}

constexpr DType floats[] = {DType::F16, DType::BF16, DType::F32, DType::F64};
constexpr DType wholes[] = {DType::U8, DType::I8, DType::I16, DType::I32, DType::I64};

// --- Elements -------------------------------------------------------------------------------------------------

TEST(CudaKernels, FunctionsOfOneTensor) {
  for (const char *name : {"abs", "ceil", "cos", "erf", "exp", "expm1", "floor", "isnan", "logical_not", "neg", "relu",
                           "sigmoid", "sign", "silu", "sin", "square", "tanh", "gelu", "reciprocal"})
    for (DType dtype : floats)
      expectAsOnHost("aten." + std::string(name) + ".default", {drawn(dtype, {3, 700})});
  for (const char *name : {"log", "log1p", "sqrt", "rsqrt"})
    for (DType dtype : floats) {
      Tensor positive = drawn(dtype, {300});
      llvm::cantFail(runKernel(*runtime::findKernel("aten.copy_.default"),
                               KernelCall{{positive, llvm::cantFail(runKernel(*runtime::findKernel("aten.exp.default"),
                                                                              KernelCall{{positive}, {}}))},
                                          {}}));
      expectAsOnHost("aten." + std::string(name) + ".default", {positive});
    }
  for (DType dtype : wholes)
    for (const char *name : {"abs", "bitwise_not", "logical_not", "relu", "exp", "sign"})
      expectAsOnHost("aten." + std::string(name) + ".default", {drawn(dtype, {5, 5}, 100)});
  expectAsOnHost("aten.bitwise_not.default", {drawn(DType::Bool, {9})});
  expectAsOnHost("aten.gelu.default", {drawn(DType::F32, {99}), Value::string("tanh")});
}

TEST(CudaKernels, FunctionsOfTwoTensors) {
  for (const char *name : {"add.Tensor", "sub.Tensor", "mul.Tensor", "eq.Tensor", "lt.Tensor", "ge.Tensor",
                           "maximum.default", "minimum.default", "logical_xor.default"})
    for (DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64, DType::U8, DType::I32, DType::I64})
      expectAsOnHost("aten." + std::string(name), {drawn(dtype, {4, 1, 70}, 9), drawn(dtype, {5, 1}, 9)});
  for (const char *name : {"sigmoid_backward", "tanh_backward", "silu_backward", "gelu_backward"})
    for (DType dtype : floats)
      expectAsOnHost("aten." + std::string(name) + ".default", {drawn(dtype, {300}), drawn(dtype, {300})});
  for (DType dtype : wholes)
    for (const char *name : {"bitwise_and.Tensor", "bitwise_or.Tensor", "bitwise_xor.Tensor", "div.Tensor"})
      expectAsOnHost("aten." + std::string(name), {drawn(dtype, {30}, 100), drawn(DType::I8, {1}, 7)});
}

TEST(CudaKernels, TypesArePromotedAsOnTheHost) {
  for (DType a : {DType::Bool, DType::U8, DType::I64, DType::F16, DType::F32, DType::F64})
    for (DType b : {DType::Bool, DType::I8, DType::I32, DType::BF16, DType::F32, DType::F64})
      for (std::vector<int64_t> sizes : {std::vector<int64_t>{4}, std::vector<int64_t>{}}) {
        expectAsOnHost("aten.mul.Tensor", {drawn(a, {4}), drawn(b, sizes)});
        expectAsOnHost("aten.lt.Tensor", {drawn(a, {4}), drawn(b, sizes)});
      }
  for (DType dtype : {DType::I32, DType::BF16, DType::F32})
    for (const Value &number : {Value::integer(3), Value::floating(0.1), Value::boolean(true)})
      for (const char *name : {"add.Scalar", "mul.Tensor", "gt.Scalar", "div.Tensor"})
        expectAsOnHost("aten." + std::string(name), {drawn(dtype, {40}), number});
}

// Beside u8, -1 without dimensions is 255; beside i8, 300 is 44.
TEST(CudaKernels, IntegersWithoutDimensionsAreConvertedBeforeTheyAreCompared) {
  auto integer = [](DType dtype, double number, std::vector<int64_t> sizes) {
    Tensor wide = Tensor::zeros(DType::F64, sizes), tensor = Tensor::zeros(dtype, sizes);
    *reinterpret_cast<double *>(wide.data()) = number;
    tensor.copyFrom(wide);
    return tensor;
  };
  for (const char *name : {"lt.Tensor", "eq.Tensor", "maximum.default", "clamp_min.Tensor", "floor_divide.default"}) {
    expectAsOnHost("aten." + std::string(name), {integer(DType::U8, 7, {1}), integer(DType::I8, -1, {})});
    expectAsOnHost("aten." + std::string(name), {integer(DType::I8, 7, {1}), integer(DType::I64, 300, {})});
    expectAsOnHost("aten." + std::string(name), {integer(DType::I64, 7, {1}), integer(DType::I8, -1, {})});
  }
}

TEST(CudaKernels, NumbersAreRoundedBeforeTheyAreCompared) {
  for (DType dtype : {DType::F16, DType::BF16, DType::F32}) {
    Tensor tenth = Tensor::zeros(dtype, {1}), wide = Tensor::zeros(DType::F64, {1});
    *reinterpret_cast<double *>(wide.data()) = 0.1;
    tenth.copyFrom(wide);
    for (const char *name : {"eq.Scalar", "lt.Scalar", "gt.Scalar", "mul.Scalar"})
      expectAsOnHost("aten." + std::string(name), {tenth, Value::floating(0.1)});
  }
}

TEST(CudaKernels, FunctionsOfThree) {
  Tensor condition = drawn(DType::Bool, {3, 1}), a = drawn(DType::F32, {3, 90}), b = drawn(DType::F32, {90});
  expectAsOnHost("aten.where.self", {condition, a, b});
  expectAsOnHost("aten.where.ScalarOther", {condition, a, Value::floating(0.5)});
  expectAsOnHost("aten.masked_fill.Scalar", {a, condition, Value::floating(-1)});
  expectAsOnHost("aten.addcmul.default", {a, a, b, Value::floating(0.3)});
  expectAsOnHost("aten.addcdiv.default", {a, a, b});
  expectAsOnHost("aten.lerp.Scalar", {a, b, Value::floating(0.7)});
  expectAsOnHost("aten.lerp.Tensor", {a, b, drawn(DType::F32, {90}, 1)});
  expectAsOnHost("prims.fma.default", {a, a, a});
  expectAsOnHost("aten.threshold_backward.default", {a, a, Value::integer(0)});
  expectAsOnHost("aten.clamp.default", {a, Value::floating(-1), Value::floating(0.5)});
  expectAsOnHost("aten.clamp.default", {a, Value(), Value::floating(0.5)});
  expectAsOnHost("aten.clamp_min.default", {a, Value::floating(0.5)});
  expectAsOnHost("aten.add.Tensor", {a, b, Value::floating(0.25)});
  expectAsOnHost("aten.sub.Tensor", {a, b, Value::integer(2)});
  expectAsOnHost("aten.rsub.Scalar", {a, Value::integer(1), Value::integer(3)});
  expectAsOnHost("aten.pow.Tensor_Scalar", {a, Value::integer(3)});
  expectAsOnHost("aten.div.Tensor_mode", {drawn(DType::I32, {50}, 40), Value::integer(7), Value::string("floor")});
  expectAsOnHost("aten.div.Tensor_mode", {drawn(DType::I32, {50}, 40), Value::integer(-7), Value::string("trunc")});
}

TEST(CudaKernels, InPlaceTheFirstArgumentIsWritten) {
  for (const char *name : {"add_.Tensor", "mul_.Tensor", "sub_.Tensor", "div_.Tensor"})
    expectAsOnHost("aten." + std::string(name), {drawn(DType::BF16, {300}), drawn(DType::F32, {1})});
  expectAsOnHost("aten.relu_.default", {drawn(DType::F32, {300})});
  expectAsOnHost("aten.lerp_.Scalar", {drawn(DType::F32, {8}), drawn(DType::F32, {8}), Value::floating(0.2)});
  expectAsOnHost("aten.copy_.default", {drawn(DType::I32, {4, 8}), drawn(DType::F32, {8})});
  expectAsOnHost("aten.fill_.Scalar", {drawn(DType::I32, {4, 8}), Value::floating(2.9)});
  expectAsOnHost("aten.zero_.default", {drawn(DType::F16, {4, 8})});
}

TEST(CudaKernels, WindowsMayLieInAnyWay) {
  Tensor whole = drawn(DType::F32, {6, 5, 4, 3});
  for (const Tensor &part : {whole.permute({3, 1, 0, 2}), whole.slice(1, 1, 4, 2), whole.select(2, 1),
                             llvm::cantFail(whole.slice(0, 2, 3).expand({7, 5, 4, 3}))}) {
    expectAsOnHost("aten.add.Tensor", {part, Value::integer(1)});
    expectAsOnHost("aten.clone.default", {part});
    expectAsOnHost("aten.clone.default", {part, Value::string("torch.contiguous_format")});
  }
}

TEST(CudaKernels, EachTypeIsRoundedOnce) {
  const double hard[] = {0,       -0.0,     1,       65504,    65519.99,  65520,    1e30,
                         5.96e-8, 2.98e-8,  2.99e-8, 6.1e-5,   6.09e-5,   1.000488, 2049.0,
                         3.39e38, 1.17e-38, NAN,     INFINITY, -INFINITY, 0.1,      1.0 / 3};
  Tensor values = Tensor::zeros(DType::F32, {static_cast<int64_t>(std::size(hard))});
  for (size_t i = 0; i < std::size(hard); ++i)
    reinterpret_cast<float *>(values.data())[i] = static_cast<float>(hard[i]);
  for (DType dtype : floats) {
    Tensor out = Tensor::zeros(dtype, values.sizes()), expected = Tensor::zeros(dtype, values.sizes());
    expected.copyFrom(values);
    auto jobs =
        llvm::cantFail(runtime::cudaJobs("prims.convert_element_type.default", {values, Value::dtype(dtype)}, {out}));
    ASSERT_TRUE(runOnHost(jobs.front()));
    EXPECT_EQ(elementsOf(out).size(), elementsOf(expected).size());
    for (size_t i = 0; i < std::size(hard); ++i)
      if (!std::isnan(hard[i])) {
        EXPECT_EQ(elementsOf(out)[i], elementsOf(expected)[i]) << hard[i];
      }
    EXPECT_TRUE(std::isnan(elementsOf(out)[16]));
  }
}

/// Every pattern of 16 bits is a number that must survive reading and writing.
TEST(CudaKernels, HalfPrecisionIsReadAndWrittenWhole) {
  using namespace runtime::device;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    auto pattern = static_cast<uint16_t>(bits);
    if (float value = fromHalf(pattern); !std::isnan(value)) {
      EXPECT_EQ(toHalf(value), pattern);
    }
    if (float value = fromBFloat16(pattern); !std::isnan(value)) {
      EXPECT_EQ(toBFloat16(value), pattern);
    }
  }
}

// --- Copies ---------------------------------------------------------------------------------------------------

TEST(CudaKernels, PartsAreJoinedAndSplit) {
  Tensor a = drawn(DType::F32, {2, 3, 4}), b = drawn(DType::F32, {2, 1, 4});
  expectAsOnHost("aten.cat.default", {Value::tensors({a, b, a}), Value::integer(1)});
  expectAsOnHost("aten.cat.default", {Value::tensors({a, drawn(DType::I32, {2, 3, 4})}), Value::integer(-1)});
  expectAsOnHost("aten.cat.default", {Value::tensors({drawn(DType::F32, {0}), a})});
  expectAsOnHost("aten.stack.default", {Value::tensors({a, a}), Value::integer(1)});
  Value sizes = Value::list({Value::integer(1), Value::integer(3)});
  expectAsOnHost("aten.split_with_sizes_copy.default", {a, sizes, Value::integer(2)});
}

/// Only bytes are moved, so the kernels also accept dtypes without arithmetic here.
TEST(CudaKernels, WhateverElementsAreTheyAreMoved) {
  for (DType dtype : {DType::C64, DType::C32, DType::U64, DType::F8E4M3FN}) {
    Tensor whole = Tensor::zeros(dtype, {3, 5}), out = Tensor::zeros(dtype, {5, 3});
    for (int64_t i = 0; i < whole.sharedStorage()->size(); ++i)
      whole.sharedStorage()->data()[i] = static_cast<std::byte>(7 * i);
    auto jobs = llvm::cantFail(runtime::cudaJobs("aten.clone.default", {whole.permute({1, 0})}, {out}));
    ASSERT_TRUE(runOnHost(jobs.front()));
    auto size = static_cast<size_t>(whole.elementSize());
    for (int64_t row = 0; row < 3; ++row)
      for (int64_t column = 0; column < 5; ++column)
        EXPECT_EQ(std::memcmp(whole.select(0, row).select(0, column).data(),
                              out.select(0, column).select(0, row).data(), size),
                  0);
  }
}

TEST(CudaKernels, MemoryIsFilled) {
  Value sizes = Value::list({Value::integer(3), Value::integer(300)});
  expectAsOnHost("aten.full.default", {sizes, Value::floating(1.5), Value::dtype(DType::BF16)});
  expectAsOnHost("aten.full.default", {sizes, Value::integer(-3)});
  expectAsOnHost("aten.ones_like.default", {drawn(DType::I16, {9})});
  expectAsOnHost("aten.zeros.default", {sizes, Value::dtype(DType::Bool)});
  expectAsOnHost("aten.scalar_tensor.default", {Value::floating(0.1)});
  expectAsOnHost("aten.arange.start_step", {Value::integer(3), Value::integer(900), Value::integer(2)});
  expectAsOnHost("aten.arange.default", {Value::floating(5.5)});
  expectAsOnHost("prims.iota.default", {Value::integer(300), Value::integer(1), Value::integer(-2)});
}

TEST(CudaKernels, WhatIsNoViewIsCopiedInOtherSizes) {
  Tensor turned = drawn(DType::F32, {4, 6}).permute({1, 0});
  expectAsOnHost("aten.reshape.default", {turned, Value::list({Value::integer(3), Value::integer(8)})});
  expectAsOnHost("aten.reshape.default", {turned, Value::list({Value::integer(-1)})});
}

TEST(CudaKernels, PartsAreWrittenInto) {
  Tensor whole = drawn(DType::F32, {4, 6});
  auto number = [](int64_t value) { return Value::integer(value); };
  expectAsOnHost("aten.slice_scatter.default",
                 {whole, drawn(DType::F32, {4, 2}), number(1), number(1), number(5), number(2)});
  expectAsOnHost("aten.slice_scatter.default", {whole, drawn(DType::F32, {2, 6}), number(0), number(-2)});
  expectAsOnHost("aten.select_scatter.default", {whole, drawn(DType::F32, {6}), number(0), number(-1)});
  Value sizes = Value::list({number(4), number(6)});
  expectAsOnHost("aten.slice_backward.default",
                 {drawn(DType::F32, {4, 3}), sizes, number(1), number(3), number(INT64_MAX), number(1)});
}

TEST(CudaKernels, ListsAreComputedOneByOne) {
  Value a = Value::tensors({drawn(DType::F32, {5}), drawn(DType::F32, {2, 300})});
  Value b = Value::tensors({drawn(DType::F32, {5}), drawn(DType::F32, {2, 300})});
  for (const char *name : {"add.List", "sub.List", "mul.List", "div.List", "add_.List", "mul_.List"})
    expectAsOnHost("aten._foreach_" + std::string(name), {a, b});
  for (const char *name : {"add.Scalar", "mul.Scalar", "div.Scalar", "add_.Scalar", "div_.Scalar"})
    expectAsOnHost("aten._foreach_" + std::string(name), {a, Value::floating(0.3)});
  expectAsOnHost("aten._foreach_neg.default", {a});
}

// --- Rows -----------------------------------------------------------------------------------------------------

Value dimsValue(std::initializer_list<int64_t> dims) {
  Values list;
  for (int64_t dim : dims)
    list.push_back(Value::integer(dim));
  return Value::list(list);
}

TEST(CudaKernels, DimensionsAreReduced) {
  for (DType dtype : floats) {
    Tensor x = drawn(dtype, {5, 300, 3}, 1);
    for (const char *name : {"sum.dim_IntList", "mean.dim"})
      for (const Value &dims : {dimsValue({1}), dimsValue({0, 2}), dimsValue({-1}), Value()})
        expectAsOnHost("aten." + std::string(name), {x, dims, Value::boolean(true)});
    expectAsOnHost("aten.amax.default", {x, dimsValue({1})});
    expectAsOnHost("aten.amin.default", {x.permute({2, 0, 1}), dimsValue({0, 1})});
    expectAsOnHost("aten.sum.default", {x});
    expectAsOnHost("aten.mean.default", {x});
  }
  Tensor x = drawn(DType::F32, {4, 600});
  expectAsOnHost("aten.var.correction", {x, dimsValue({1})});
  expectAsOnHost("aten.std.correction", {x, dimsValue({1}), Value::integer(0), Value::boolean(true)});
  expectAsOnHost("aten.var_mean.correction", {x, dimsValue({0})});
  expectAsOnHost("aten.linalg_vector_norm.default", {x});
  expectAsOnHost("aten.prod.dim_int", {drawn(DType::F32, {4, 9}), Value::integer(1)});
  expectAsOnHost("aten.sum.dim_IntList", {x, dimsValue({1}), Value::boolean(false), Value::dtype(DType::F64)});
}

TEST(CudaKernels, WholeNumbersAreReducedToo) {
  for (DType dtype : wholes) {
    Tensor x = drawn(dtype, {3, 500}, 100);
    expectAsOnHost("aten.sum.dim_IntList", {x, dimsValue({1})});
    expectAsOnHost("aten.max.default", {x});
    expectAsOnHost("aten.min.default", {x});
    expectAsOnHost("aten.any.dim", {x, Value::integer(1)});
    expectAsOnHost("aten.all.default", {x});
  }
  expectAsOnHost("aten.sum.default", {drawn(DType::Bool, {700})});
  expectAsOnHost("aten.sum.dim_IntList", {Tensor::zeros(DType::F32, {3, 0}), dimsValue({1})});
  expectAsOnHost("aten.sum.dim_IntList", {Tensor::zeros(DType::F32, {3, 0, 4}).permute({0, 2, 1}), dimsValue({1, 2})});
}

TEST(CudaKernels, NanWinsInAMaximum) {
  Tensor x = drawn(DType::F32, {300});
  reinterpret_cast<float *>(x.data())[170] = NAN;
  expectAsOnHost("aten.max.default", {x});
  expectAsOnHost("aten.amin.default", {x, dimsValue({0})});
}

TEST(CudaKernels, SoftmaxOfAnyDimension) {
  for (DType dtype : floats)
    for (int64_t dim : {0, 1, -1}) {
      Tensor x = drawn(dtype, {5, 270, 3}), grad = drawn(dtype, {5, 270, 3});
      for (const char *name : {"_softmax", "_log_softmax"})
        expectAsOnHost("aten." + std::string(name) + ".default", {x, Value::integer(dim), Value::boolean(false)});
      Value y = llvm::cantFail(runKernel(*runtime::findKernel("aten._softmax.default"),
                                         KernelCall{{x, Value::integer(dim), Value::boolean(false)}, {}}));
      for (const char *name : {"_softmax_backward_data", "_log_softmax_backward_data"})
        expectAsOnHost("aten." + std::string(name) + ".default", {grad, y, Value::integer(dim), Value::dtype(dtype)});
    }
  expectAsOnHost("aten._softmax.default", {drawn(DType::F32, {}), Value::integer(0), Value::boolean(false)});
}

/// Tests numbers whose exponentials overflow.
TEST(CudaKernels, SoftmaxOfLargeNumbers) {
  for (const char *name : {"_softmax", "_log_softmax"})
    for (DType dtype : {DType::F32, DType::F64})
      expectAsOnHost("aten." + std::string(name) + ".default",
                     {drawn(dtype, {4, 300}, 2000), Value::integer(1), Value::boolean(false)});
}

TEST(CudaKernels, LayerNormAndItsGradient) {
  for (DType dtype : {DType::BF16, DType::F32, DType::F64}) {
    Tensor x = drawn(dtype, {4, 2, 150, 2}), grad = drawn(dtype, {4, 2, 150, 2});
    Tensor weight = drawn(dtype, {150, 2}), bias = drawn(dtype, {150, 2});
    Value shape = dimsValue({150, 2}), epsilon = Value::floating(1e-5);
    expectAsOnHost("aten.native_layer_norm.default", {x, shape, weight, bias, epsilon});
    expectAsOnHost("aten.native_layer_norm.default", {x, shape, Value(), Value(), epsilon});
    if (dtype == DType::BF16)
      continue; // Sums of eight rounded gradients differ by more than one rounding.
    Value done = llvm::cantFail(runKernel(*runtime::findKernel("aten.native_layer_norm.default"),
                                          KernelCall{{x, shape, weight, bias, epsilon}, {}}));
    Value all = Value::list({Value::boolean(true), Value::boolean(true), Value::boolean(true)});
    expectAsOnHost("aten.native_layer_norm_backward.default",
                   {grad, x, shape, done.list()[1], done.list()[2], weight, bias, all});
  }
}

TEST(CudaKernels, RmsNormAndItsGradient) {
  for (DType dtype : {DType::F32, DType::F64}) {
    Tensor x = drawn(dtype, {6, 300}), grad = drawn(dtype, {6, 300}), weight = drawn(dtype, {300});
    Value shape = dimsValue({300});
    expectAsOnHost("aten._fused_rms_norm.default", {x, shape, weight, Value::floating(1e-6)});
    expectAsOnHost("aten._fused_rms_norm.default", {x, shape, Value(), Value()});
    Value done = llvm::cantFail(
        runKernel(*runtime::findKernel("aten._fused_rms_norm.default"), KernelCall{{x, shape, weight, Value()}, {}}));
    expectAsOnHost("aten._fused_rms_norm_backward.default",
                   {grad, x, shape, done.list()[1], weight, Value::list({Value::boolean(true), Value::boolean(true)})});
  }
}

// --- Look-ups -------------------------------------------------------------------------------------------------

Tensor numbers(DType dtype, std::vector<int64_t> sizes, const std::vector<int64_t> &values) {
  Tensor wide = Tensor::zeros(DType::I64, sizes), tensor = Tensor::zeros(dtype, sizes);
  llvm::copy(values, reinterpret_cast<int64_t *>(wide.data()));
  tensor.copyFrom(wide);
  return tensor;
}

TEST(CudaKernels, EmbeddingAndItsGradient) {
  for (DType dtype : {DType::F32, DType::F64})
    for (DType index : {DType::I32, DType::I64}) {
      Tensor indices = numbers(index, {2, 3}, {4, 0, 4, 1, 6, 4});
      expectAsOnHost("aten.embedding.default", {drawn(dtype, {7, 300}), indices});
      for (int64_t padding : {-1, 4})
        expectAsOnHost("aten.embedding_dense_backward.default", {drawn(dtype, {2, 3, 300}), indices, Value::integer(7),
                                                                 Value::integer(padding), Value::boolean(false)});
    }
}

TEST(CudaKernels, AnIndexOutOfRangeFails) {
  Tensor table = drawn(DType::F32, {7, 3}), out = Tensor::zeros(DType::F32, {1, 3});
  for (int64_t index : {-1, 7}) {
    // Jobs hold only addresses.
    Tensor indices = numbers(DType::I64, {1}, {index});
    auto jobs = llvm::cantFail(runtime::cudaJobs("aten.embedding.default", {table, indices}, {out}));
    EXPECT_FALSE(runOnHost(jobs.front()));
  }
}

TEST(CudaKernels, LossOfClassesAndItsGradient) {
  Tensor samples = drawn(DType::F32, {4, 300}), target = numbers(DType::I64, {4}, {3, -100, 299, 0});
  for (int64_t reduction : {0, 1, 2})
    for (const Value &weight : {Value(), Value(drawn(DType::F32, {300}))}) {
      expectAsOnHost("aten.nll_loss_forward.default",
                     {samples, target, weight, Value::integer(reduction), Value::integer(-100)});
      Value total = drawn(DType::F32, {});
      Tensor grad = reduction == 0 ? drawn(DType::F32, {4}) : drawn(DType::F32, {});
      expectAsOnHost("aten.nll_loss_backward.default",
                     {grad, samples, target, weight, Value::integer(reduction), Value::integer(-100), total});
    }
  expectAsOnHost("aten.nll_loss_forward.default", {drawn(DType::F32, {9}), numbers(DType::I64, {}, {3}), Value(),
                                                   Value::integer(0), Value::integer(-100)});
}

TEST(CudaKernels, SquaredErrorAndItsGradient) {
  for (DType dtype : {DType::F32, DType::F64, DType::BF16})
    for (int64_t reduction : {0, 1, 2}) {
      Tensor a = drawn(dtype, {3, 200}), b = drawn(dtype, {200, 3}).permute({1, 0});
      expectAsOnHost("aten.mse_loss.default", {a, b, Value::integer(reduction)});
      Tensor grad = reduction == 0 ? drawn(dtype, {3, 200}) : drawn(dtype, {});
      expectAsOnHost("aten.mse_loss_backward.default", {grad, a, b, Value::integer(reduction)});
    }
}

// --- Adam -----------------------------------------------------------------------------------------------------

TEST(CudaKernels, AdamStepsAsTorchFusesIt) {
  for (const char *name : {"_fused_adam_", "_fused_adamw_"})
    for (bool amsgrad : {false, true}) {
      auto list = [](int most) {
        Tensor first = drawn(DType::F32, {300}, most), second = drawn(DType::F32, {2, 5}, most);
        return Value::tensors({first, second});
      };
      Tensor squares = drawn(DType::F32, {300}), steps = numbers(DType::F32, {}, {3});
      Value positive = Value::tensors(
          {llvm::cantFail(runKernel(*runtime::findKernel("aten.abs.default"), KernelCall{{squares}, {}})).tensor(),
           Tensor::zeros(DType::F32, {2, 5})});
      Value largest = amsgrad ? cloned(positive) : Value::list({});
      expectAsOnHost("aten." + std::string(name) + ".default",
                     {list(1), list(1), list(1), positive, largest, Value::tensors({steps, steps}),
                      Value::floating(0.01), Value::floating(0.9), Value::floating(0.99), Value::floating(0.1),
                      Value::floating(1e-8), Value::boolean(amsgrad), Value::boolean(false)});
    }
}

// --- Refusals -------------------------------------------------------------------------------------------------

TEST(CudaKernels, WhatADeviceCannotDoIsRefused) {
  Tensor a = drawn(DType::F32, {8});
  EXPECT_EQ(refusalOf("aten.neg.default", {a}, {}),
            "aten.neg.default: its result has no place before it is computed, which a device needs");
  EXPECT_EQ(refusalOf("aten.neg.default", {Tensor::zeros(DType::C64, {2})}, {Tensor::zeros(DType::C64, {2})}),
            "aten.neg.default: got dtype c64, which no kernel of cuda computes with");
  EXPECT_EQ(refusalOf("aten.add.Tensor", {a, drawn(DType::F32, {3})}, {a}),
            "aten.add.Tensor: got f32[3][1], which does not stretch to [8]");
  EXPECT_EQ(refusalOf("aten.bitwise_and.Tensor", {a, a}, {a}),
            "aten.bitwise_and.Tensor: got a dtype which it does not compute with");
  EXPECT_EQ(refusalOf("aten.add_.Tensor", {a.slice(0, 1, 8), a.slice(0, 0, 7)}, {{}}),
            "aten.add_.Tensor: got f32[7][1] that overlaps what is written, which a device does at once");
}

TEST(CudaKernels, ManyDimensionsThatMergeAreFew) {
  Tensor many = drawn(DType::F32, {2, 1, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2});
  expectAsOnHost("aten.neg.default", {many});
  IntList order;
  for (int64_t d = many.rank() - 1; d >= 0; --d)
    order.push_back(d);
  Tensor turned = many.permute(order), out = Tensor::zeros(DType::F32, turned.sizes());
  EXPECT_EQ(refusalOf("aten.neg.default", {turned}, {out}), "aten.neg.default: got [2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 1, "
                                                            "2], which is more than a device's kernels can walk over");
}

} // namespace
} // namespace ccgraph::test
