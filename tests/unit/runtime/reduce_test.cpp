// Tests reductions: rank order, rounding, every dtype and operator, and the pairs that do not exist.
#include "collectives/reduce.h"

#include "support/rank_program.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ccgraph::runtime {
namespace {

std::vector<double> reduce(ReduceOp op, DType dtype, const std::vector<std::vector<double>> &rows) {
  std::vector<Tensor> tensors;
  for (const auto &row : rows)
    tensors.push_back(Tensor::fromHost(test::hostTensor(dtype, {static_cast<int64_t>(row.size())}, row)));
  return test::numbersOf(reduceInOrder(op, tensors).toHost());
}

using Row = std::vector<double>;

TEST(Reduce, AddsInRankOrder) {
  // 1e17 + 1 is 1e17 in f64, so the result shows the order.
  EXPECT_EQ(reduce(ReduceOp::Sum, DType::F64, {{1e17}, {1}, {-1e17}}), Row{0});
  EXPECT_EQ(reduce(ReduceOp::Sum, DType::F64, {{1e17}, {-1e17}, {1}}), Row{1});
}

TEST(Reduce, RoundsOnceAtTheEnd) {
  // 256 + 1 = 256 in bf16 (8 bits of mantissa), ties to even: with rounding after each step, the sum would stay 256.
  EXPECT_EQ(reduce(ReduceOp::Sum, DType::BF16, {{256}, {1}, {1}}), Row{258});
  EXPECT_EQ(reduce(ReduceOp::Sum, DType::F16, {{2048}, {1}, {1}}), Row{2050});
  EXPECT_EQ(reduce(ReduceOp::Sum, DType::F32, {{1e8}, {1}, {-1e8}}), Row{1});
  EXPECT_EQ(reduce(ReduceOp::Sum, DType::BF16, {{256}, {1}}), Row{256});
}

TEST(Reduce, IntegersWrapAndTruncate) {
  EXPECT_EQ(reduce(ReduceOp::Sum, DType::U8, {{200}, {100}}), Row{44});
  EXPECT_EQ(reduce(ReduceOp::Product, DType::I8, {{100}, {2}}), Row{-56});
  EXPECT_EQ(reduce(ReduceOp::Avg, DType::I32, {{-3}, {-4}}), Row{-3});
  EXPECT_EQ(reduce(ReduceOp::Bxor, DType::I64, {{6}, {3}, {1}}), Row{4});
  EXPECT_EQ(reduce(ReduceOp::Band, DType::I16, {{6}, {3}}), Row{2});
  EXPECT_EQ(reduce(ReduceOp::Bor, DType::I32, {{6}, {1}}), Row{7});
}

TEST(Reduce, BoolIsOneBit) {
  EXPECT_EQ(reduce(ReduceOp::Sum, DType::Bool, {{1, 0, 1}, {1, 0, 0}}), (Row{1, 0, 1}));
  EXPECT_EQ(reduce(ReduceOp::Product, DType::Bool, {{1, 0, 1}, {1, 0, 0}}), (Row{1, 0, 0}));
}

TEST(Reduce, MinAndMaxKeepNaN) {
  EXPECT_TRUE(std::isnan(reduce(ReduceOp::Max, DType::F64, {{1}, {NAN}}).front()));
  EXPECT_TRUE(std::isnan(reduce(ReduceOp::Min, DType::F64, {{NAN}, {1}}).front()));
}

TEST(Reduce, ComplexAddsParts) {
  HostTensor a = test::hostTensor(DType::C64, {1}, {3}), b = a;
  std::vector<Tensor> rows = {Tensor::fromHost(a), Tensor::fromHost(b)};
  EXPECT_EQ(test::numbersOf(reduceInOrder(ReduceOp::Avg, rows).toHost()), Row{3});
}

TEST(Reduce, OfOneRankIsThatRank) { EXPECT_EQ(reduce(ReduceOp::Avg, DType::F32, {{7, 8}}), (Row{7, 8})); }

TEST(Reduce, RefusesWhatADTypeDoesNotHave) {
  EXPECT_EQ(llvm::toString(checkReducible(ReduceOp::Band, DType::F32)),
            "reduction band on f32: expected one of sum, avg, product, min, max");
  EXPECT_EQ(llvm::toString(checkReducible(ReduceOp::Max, DType::C64)),
            "reduction max on c64: expected one of sum, avg");
  EXPECT_EQ(llvm::toString(checkReducible(ReduceOp::Sum, DType::F8E5M2)),
            "reduction sum on f8e5m2: expected no reduction at all");
  EXPECT_EQ(llvm::toString(checkReducible(ReduceOp::Avg, DType::Bool)),
            "reduction avg on b8: expected one of sum, product, min, max, band, bor, bxor");
  EXPECT_FALSE(static_cast<bool>(checkReducible(ReduceOp::Band, DType::I64)));
}

TEST(Reduce, NamesInAnyCase) {
  EXPECT_EQ(parseReduceOp("SUM"), ReduceOp::Sum);
  EXPECT_EQ(parseReduceOp("Bxor"), ReduceOp::Bxor);
  EXPECT_EQ(parseReduceOp("premul_sum"), std::nullopt);
  EXPECT_EQ(parseReduceOp(""), std::nullopt);
}

} // namespace
} // namespace ccgraph::runtime
