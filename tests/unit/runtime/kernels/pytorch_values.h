// Rows that compare kernels with PyTorch: each is a call, and the elements of its results as PyTorch 2.15 computes them
// on a CPU in f32.
//
// Ownership: the test owns the rows. Failure: a result that differs fails its test, with operator and element. Cost:
// negligible; tensors have a handful of elements.
#pragma once

#include "unit/runtime/kernels/kernel_testing.h"

#include <cmath>

namespace ccgraph::runtime::testing {

/// Returns ((7 (i + shift)) mod 11 - 5) / 4 for i = 0, 1, ...: both signs, zero, unordered, exact in every float.
inline Tensor steps(IntListRef sizes, int64_t shift = 0) {
  std::vector<double> values;
  for (int64_t i = 0; i < productOf(sizes); ++i)
    values.push_back(static_cast<double>((i + shift) * 7 % 11 - 5) / 4);
  return f32(sizes, values);
}

/// |steps| + 0.25
inline Tensor positive(IntListRef sizes) {
  std::vector<double> values;
  for (int64_t i = 0; i < productOf(sizes); ++i)
    values.push_back(std::fabs(static_cast<double>(i * 7 % 11 - 5) / 4) + 0.25);
  return f32(sizes, values);
}

struct Case {
  std::string target;
  Value::List arguments;
  Doubles expected; ///< of all results, one after the other; None has no elements
};

inline Doubles elementsOf(const Value &result) {
  if (result.is(Value::Kind::Tensor))
    return values(result.tensor());
  Doubles all;
  if (result.is(Value::Kind::List))
    for (const Value &element : result.list())
      llvm::append_range(all, elementsOf(element));
  return all;
}

inline bool isNear(double got, double expected) {
  if (!std::isfinite(expected))
    return std::isnan(expected) ? std::isnan(got) : got == expected;
  return std::fabs(got - expected) <= 2e-5 * std::max(1.0, std::fabs(expected));
}

inline void expectEach(const std::vector<Case> &cases) {
  for (const Case &row : cases) {
    Doubles got = elementsOf(call(row.target, row.arguments));
    ASSERT_EQ(got.size(), row.expected.size()) << row.target;
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(isNear(got[i], row.expected[i]))
          << row.target << ", element " << i << ": got " << got[i] << ", expected " << row.expected[i];
  }
}

} // namespace ccgraph::runtime::testing
