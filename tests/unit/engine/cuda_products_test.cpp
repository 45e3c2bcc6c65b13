// Products of matrices on devices: our kernel beside that of the host, and what the device's library is asked for.
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

/// What the device's library makes of a call, which reads column after column.
void multiplyByColumns(const runtime::device::GemmCall &call) {
  auto at = [](const runtime::device::GemmMatrix &matrix, int batch, int64_t row, int64_t column) -> double & {
    int64_t place = matrix.turned ? row * matrix.leading + column : column * matrix.leading + row;
    return reinterpret_cast<double *>(matrix.data)[batch * matrix.batchStride + place];
  };
  for (int batch = 0; batch < call.batch; ++batch)
    for (int row = 0; row < call.rows; ++row)
      for (int column = 0; column < call.columns; ++column) {
        double sum = 0;
        for (int k = 0; k < call.depth; ++k)
          sum += at(call.first, batch, row, k) * at(call.second, batch, k, column);
        double &result = at(call.result, batch, row, column);
        result = call.alpha * sum + (call.beta != 0 ? call.beta * result : 0);
      }
}

/// Ours, and the library's.
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
    multiplyByColumns(*call);
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
