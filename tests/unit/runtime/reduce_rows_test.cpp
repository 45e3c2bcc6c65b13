// Tests that the fast reduction gives bitwise the results of the plain one.
#include "collectives/reduce_rows.h"

#include "collectives/reduce.h"
#include "tensor/element_types.h"
#include "tensor/numbers.h"

#include <gtest/gtest.h>

namespace ccgraph::runtime {
namespace {

constexpr DType dtypes[] = {DType::U8,  DType::I8,   DType::I16, DType::I32, DType::I64, DType::U16,  DType::U32,
                            DType::F16, DType::BF16, DType::F32, DType::F64, DType::C64, DType::C128, DType::Bool};
constexpr ReduceOp operators[] = {ReduceOp::Sum, ReduceOp::Avg,  ReduceOp::Product, ReduceOp::Min,
                                  ReduceOp::Max, ReduceOp::Band, ReduceOp::Bor,     ReduceOp::Bxor};

/// Returns any bits except a NaN, whose bits no reduction preserves; for bool, 0 or 1.
Tensor anyBits(DType dtype, int64_t count, uint64_t seed) {
  Numbers draw(seed);
  Tensor tensor = Tensor::zeros(dtype, {count});
  for (int64_t i = 0; i < count * tensor.elementSize(); ++i)
    tensor.data()[i] = static_cast<std::byte>(dtype == DType::Bool ? draw.next() % 2 : draw.next());
  withElement(dtype, [&](auto element) {
    using E = decltype(element);
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(&element, tensor.data() + i * tensor.elementSize(), sizeof(E));
      if (auto wide = widen(element); wide != wide)
        std::memset(tensor.data() + i * tensor.elementSize(), 0, sizeof(E));
    }
  });
  return tensor;
}

/// Elements that are NaN on both sides count as equal.
bool same(const Tensor &a, const Tensor &b) {
  bool equal = true;
  withElement(a.dtype(), [&](auto element) {
    using E = decltype(element);
    for (int64_t i = 0; i < a.numElements(); ++i) {
      E x, y;
      std::memcpy(&x, a.data() + i * a.elementSize(), sizeof(E));
      std::memcpy(&y, b.data() + i * b.elementSize(), sizeof(E));
      bool nans = widen(x) != widen(x) && widen(y) != widen(y);
      equal &= nans || std::memcmp(&x, &y, sizeof(E)) == 0;
    }
  });
  return equal;
}

Tensor reduced(ReduceOp op, llvm::ArrayRef<Tensor> rows) {
  Tensor result = Tensor::zeros(rows.front().dtype(), rows.front().sizes());
  std::vector<const std::byte *> from;
  for (const Tensor &row : rows)
    from.push_back(row.data());
  std::byte *to[] = {result.data()};
  reduceRows({op, rows.front().dtype(), from, to, rows.front().numElements()});
  return result;
}

TEST(ReduceRows, GivesWhatThePlainReductionGives) {
  for (DType dtype : dtypes)
    for (ReduceOp op : operators) {
      if (llvm::Error error = checkReducible(op, dtype)) {
        llvm::consumeError(std::move(error));
        continue;
      }
      for (size_t ranks : {1, 2, 3, 5})
        for (int64_t count : {0, 1, 63, 1024, 2500}) {
          std::vector<Tensor> rows;
          for (size_t rank = 0; rank < ranks; ++rank)
            rows.push_back(anyBits(dtype, count, 100 * rank + static_cast<uint64_t>(count)));
          EXPECT_TRUE(same(reduced(op, rows), reduceInOrder(op, rows)))
              << reduceOpName(op).str() << " of " << count << " " << shortName(dtype).str() << " on " << ranks
              << " ranks";
        }
    }
}

TEST(ReduceRows, MayWriteWhereItReads) {
  std::vector<Tensor> rows = {anyBits(DType::F32, 2500, 1), anyBits(DType::F32, 2500, 2)};
  Tensor expected = reduceInOrder(ReduceOp::Sum, rows);
  const std::byte *from[] = {rows[0].data(), rows[1].data()};
  std::byte *to[] = {rows[0].data(), rows[1].data()};
  reduceRows({ReduceOp::Sum, DType::F32, from, to, 2500});
  EXPECT_TRUE(same(rows[0], expected));
  EXPECT_TRUE(same(rows[1], expected));
}

/// Stores that bypass the caches write whole blocks to aligned addresses; the remaining elements use the plain code.
TEST(ReduceRows, ResultsThatOutgrowTheCachesAreTheSame) {
  for (DType dtype : {DType::F32, DType::BF16})
    for (int64_t offset : {0, 1}) {
      int64_t count = (int64_t{8} << 20) / sizeInBytes(dtype) + 77;
      std::vector<Tensor> rows = {anyBits(dtype, count, 1), anyBits(dtype, count, 2)};
      Tensor whole = Tensor::zeros(dtype, {count + 2}), result = whole.slice(0, offset, offset + count);
      const std::byte *from[] = {rows[0].data(), rows[1].data()};
      std::byte *to[] = {result.data()};
      reduceRows({ReduceOp::Sum, dtype, from, to, count});
      EXPECT_TRUE(same(result.contiguous(), reduceInOrder(ReduceOp::Sum, rows))) << shortName(dtype).str() << offset;
      Tensor beside = whole.slice(0, offset + count, count + 2);
      EXPECT_TRUE(same(beside, Tensor::zeros(dtype, beside.sizes()))) << "nothing is written beside it";
    }
}

/// Implements IEEE 754 binary16 by its definition: sign, 5 bits of exponent, 10 of fraction.
double halfByDefinition(uint16_t bits) {
  int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                     : exponent == 31 ? (fraction ? NAN : INFINITY)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

TEST(Half, WidensAsDefined) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double expected = halfByDefinition(static_cast<uint16_t>(bits)), got = floatFromHalf(static_cast<uint16_t>(bits));
    EXPECT_TRUE(std::isnan(expected) ? std::isnan(got)
                                     : expected == got && std::signbit(expected) == std::signbit(got));
  }
}

/// Tests each half, the adjacent floats, and the floats near and at the midpoint to the next half: the nearest half
/// must be chosen, and the even one for a tie.
TEST(Half, NarrowsToTheNearest) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    auto low = static_cast<uint16_t>(bits), high = static_cast<uint16_t>(bits + 1);
    // The half after the largest would be 2^16, so numbers nearer to it become infinite.
    double from = halfByDefinition(low), to = bits == 0x7bff ? 65536 : halfByDefinition(high);
    auto middle = static_cast<float>((from + to) / 2);
    uint16_t even = low % 2 == 0 ? low : high;
    EXPECT_EQ(halfFromFloat(static_cast<float>(from)), low);
    EXPECT_EQ(halfFromFloat(-static_cast<float>(from)), low | 0x8000);
    EXPECT_EQ(halfFromFloat(middle), even) << middle;
    EXPECT_EQ(halfFromFloat(std::nextafter(middle, 0.0F)), low);
    EXPECT_EQ(halfFromFloat(std::nextafter(middle, INFINITY)), high);
  }
  EXPECT_EQ(halfFromFloat(INFINITY), 0x7c00);
  EXPECT_EQ(halfFromFloat(-1e30F), 0xfc00);
  EXPECT_EQ(halfFromFloat(NAN) & 0x7e00, 0x7e00);
  EXPECT_EQ(halfFromFloat(std::numeric_limits<float>::denorm_min()), 0);
}

} // namespace
} // namespace ccgraph::runtime
