// Tests products of matrices on devices: ccgraph's kernel against the host kernel, and the calls to the device's
// library.
#include "both_ways.h"
#include "device/gemm_call.h"

namespace ccgraph::test {
namespace {

TEST(CudaProducts, AreThoseOfTheHost) {
  for (DType dtype : {DType::F16, DType::F32, DType::F64, DType::I64}) {
    Tensor a = drawn(dtype, {37, 5}, 2), b = drawn(dtype, {5, 50}, 2);
    expectAsOnHost("aten.mm.default", {a, b});
    expectAsOnHost("aten.mm.default",
                   {drawn(dtype, {5, 37}, 2).permute({1, 0}), drawn(dtype, {50, 5}, 2).permute({1, 0})});
    expectAsOnHost("aten.bmm.default", {drawn(dtype, {3, 20, 4}, 2), drawn(dtype, {3, 4, 17}, 2)});
  }
  Tensor a = drawn(DType::F32, {37, 5}), b = drawn(DType::F32, {5, 50});
  expectAsOnHost("aten.addmm.default", {drawn(DType::F32, {50}), a, b});
  expectAsOnHost("aten.addmm.default", {drawn(DType::F32, {37, 1}), a, b});
  expectAsOnHost("aten.mm.default", {drawn(DType::F32, {3, 0}), drawn(DType::F32, {0, 4})});
}

TEST(CudaProducts, LinearFlattensWhatItMultiplies) {
  Tensor weight = drawn(DType::F32, {7, 5}), bias = drawn(DType::F32, {7});
  expectAsOnHost("aten.linear.default", {drawn(DType::F32, {2, 3, 5}), weight, bias});
  expectAsOnHost("aten.linear.default", {drawn(DType::F32, {5}), weight});
}

/// Computes the result of the device's library for a call; the library is column-major.
template <typename T>
void multiplyByColumns(const runtime::device::GemmCall &call) {
  auto at = [](const runtime::device::GemmMatrix &matrix, int batch, int64_t row, int64_t column) -> T & {
    int64_t place = matrix.turned ? row * matrix.leading + column : column * matrix.leading + row;
    return reinterpret_cast<T *>(matrix.data)[batch * matrix.batchStride + place];
  };
  for (int batch = 0; batch < call.batch; ++batch)
    for (int row = 0; row < call.rows; ++row)
      for (int column = 0; column < call.columns; ++column) {
        double sum = 0;
        for (int k = 0; k < call.depth; ++k)
          sum += at(call.first, batch, row, k) * at(call.second, batch, k, column);
        T &result = at(call.result, batch, row, column);
        double bias = call.bias ? reinterpret_cast<const T *>(call.bias)[row] : 0;
        result = static_cast<T>(call.alpha * sum + (call.beta != 0 ? call.beta * result : 0) + bias);
      }
}

/// Compares ccgraph's kernel and the library.
void expectAsLibrary(llvm::StringRef target, const Values &arguments, const Tensor &mine, const Tensor &theirs) {
  for (const runtime::device::Job &job : llvm::cantFail(runtime::cudaJobs(target, arguments, {mine})))
    ASSERT_TRUE(runOnHost(job));
  for (const runtime::device::Job &job : llvm::cantFail(runtime::cudaJobs(target, arguments, {theirs}))) {
    const auto *product = std::get_if<runtime::device::MatmulJob>(&job);
    if (!product) {
      ASSERT_TRUE(runOnHost(job));
      continue;
    }
    auto call = gemmCallOf(*product);
    ASSERT_TRUE(call.has_value()) << textOf(target, arguments);
    if (call->element == runtime::device::Element::F64)
      multiplyByColumns<double>(*call);
    else
      multiplyByColumns<float>(*call);
  }
  expectClose(theirs, mine, textOf(target, arguments));
}

TEST(CudaProducts, TheDevicesLibraryIsAskedForTheSame) {
  auto make = [](const std::vector<int64_t> &sizes) { return Tensor::zeros(DType::F64, sizes); };
  for (int64_t rows : {1, 7})
    for (int64_t depth : {1, 5})
      for (int64_t columns : {1, 3})
        for (bool turnA : {false, true})
          for (bool turnB : {false, true}) {
            Tensor a = turnA ? drawn(DType::F64, {depth, rows}).permute({1, 0}) : drawn(DType::F64, {rows, depth});
            Tensor b =
                turnB ? drawn(DType::F64, {columns, depth}).permute({1, 0}) : drawn(DType::F64, {depth, columns});
            expectAsLibrary("aten.mm.default", {a, b}, make({rows, columns}), make({rows, columns}));
            expectAsLibrary("aten.addmm.default",
                            {drawn(DType::F64, {columns}), a, b, Value::floating(0.5), Value::floating(2)},
                            make({rows, columns}), make({rows, columns}));
          }
  Tensor a = drawn(DType::F64, {4, 6, 5}), b = drawn(DType::F64, {4, 3, 5}).permute({0, 2, 1});
  expectAsLibrary("aten.bmm.default", {a, b}, make({4, 6, 3}), make({4, 6, 3}));
  expectAsLibrary("aten.mm.default", {drawn(DType::F64, {6, 9}).slice(1, 2, 7), drawn(DType::F64, {5, 3})},
                  make({6, 3}), make({6, 3}));
}

std::vector<runtime::device::Job> jobsOf(llvm::StringRef target, const Values &arguments, const Tensor &out) {
  return llvm::cantFail(runtime::cudaJobs(target, arguments, {out}));
}

/// A bias needs only one call: the library adds one number to each column of the result as it stores the product.
TEST(CudaProducts, ABiasIsAnEpilogue) {
  for (DType dtype : {DType::F16, DType::BF16, DType::F32})
    for (int64_t columns : {1, 9}) {
      Tensor a = drawn(dtype, {4, 6}), b = drawn(dtype, {6, columns}), out = drawn(dtype, {4, columns});
      Tensor bias = drawn(dtype, {12}).slice(0, 2, 2 + columns);
      for (double alpha : {1.0, 0.5}) {
        auto jobs = jobsOf("aten.addmm.default", {bias, a, b, Value::integer(1), Value::floating(alpha)}, out);
        ASSERT_EQ(jobs.size(), 1U);
        auto call = gemmCallOf(std::get<runtime::device::MatmulJob>(jobs.front()));
        ASSERT_TRUE(call.has_value());
        EXPECT_EQ(call->bias, bias.data());
        EXPECT_EQ(call->beta, 0);
        EXPECT_EQ(call->alpha, alpha);
      }
      Tensor weight = drawn(dtype, {columns, 6}), rows = drawn(dtype, {2, 2, columns});
      EXPECT_EQ(jobsOf("aten.linear.default", {drawn(dtype, {2, 2, 6}), weight, bias}, rows).size(), 1U);
    }
}

TEST(CudaProducts, WhatIsAddedAsAnEpilogueIsTheBias) {
  auto make = [](const std::vector<int64_t> &sizes) { return Tensor::zeros(DType::F32, sizes); };
  for (int64_t rows : {1, 7})
    for (int64_t depth : {1, 5})
      for (int64_t columns : {1, 3, 20})
        for (bool turned : {false, true}) {
          Tensor a = drawn(DType::F32, {rows, depth}), bias = drawn(DType::F32, {columns});
          Tensor b = turned ? drawn(DType::F32, {columns, depth}).permute({1, 0}) : drawn(DType::F32, {depth, columns});
          expectAsLibrary("aten.addmm.default", {bias, a, b}, make({rows, columns}), make({rows, columns}));
          expectAsLibrary("aten.addmm.default", {bias, a, b, Value::integer(1), Value::floating(-2)},
                          make({rows, columns}), make({rows, columns}));
        }
  expectAsOnHost("aten.addmm.default",
                 {drawn(DType::BF16, {50}), drawn(DType::BF16, {37, 5}, 2), drawn(DType::BF16, {5, 50}, 2)});
}

/// In other cases (a weight other than 1, a number for each row, gaps, other types), the operand is copied to the
/// result first, and the library adds the product to it.
TEST(CudaProducts, WhatIsNoBiasIsCopiedFirst) {
  Tensor a = drawn(DType::F32, {4, 6}), b = drawn(DType::F32, {6, 9}), out = drawn(DType::F32, {4, 9});
  auto isCopied = [&](const Tensor &added, double beta) {
    auto jobs = jobsOf("aten.addmm.default", {added, a, b, Value::floating(beta)}, out);
    auto call = gemmCallOf(std::get<runtime::device::MatmulJob>(jobs.back()));
    return jobs.size() == 2 && call && !call->bias && call->beta == beta;
  };
  EXPECT_TRUE(isCopied(drawn(DType::F32, {9}), 0.5));
  EXPECT_TRUE(isCopied(drawn(DType::F32, {4, 1}), 1));
  EXPECT_TRUE(isCopied(drawn(DType::F32, {18}).slice(0, 0, 18, 2), 1));
  EXPECT_TRUE(isCopied(drawn(DType::F32, {1}), 1));
  EXPECT_FALSE(isCopied(drawn(DType::F32, {9}), 1));
  Tensor wide = drawn(DType::F64, {4, 9});
  EXPECT_EQ(
      jobsOf("aten.addmm.default", {drawn(DType::F64, {9}), drawn(DType::F64, {4, 6}), drawn(DType::F64, {6, 9})}, wide)
          .size(),
      2U);
}

TEST(CudaProducts, WhatTheLibraryDoesNotTakeIsOurs) {
  auto isTaken = [](const Tensor &a, const Tensor &b, const Tensor &out) {
    auto jobs = llvm::cantFail(runtime::cudaJobs("aten.mm.default", {a, b}, {out}));
    return gemmCallOf(std::get<runtime::device::MatmulJob>(jobs.front())).has_value();
  };
  Tensor a = drawn(DType::F32, {4, 6}), b = drawn(DType::F32, {6, 4}), out = drawn(DType::F32, {4, 4});
  EXPECT_TRUE(isTaken(a, b, out));
  EXPECT_FALSE(isTaken(a, b, out.permute({1, 0})));
  EXPECT_FALSE(isTaken(drawn(DType::F32, {4, 12}).slice(1, 0, 12, 2), b, out));
  EXPECT_FALSE(isTaken(drawn(DType::I32, {4, 6}), drawn(DType::I32, {6, 4}), drawn(DType::I32, {4, 4})));
  EXPECT_FALSE(isTaken(a, b, drawn(DType::F64, {4, 4})));
}

} // namespace
} // namespace ccgraph::test
