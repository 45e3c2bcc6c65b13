// Provides helpers for kernel tests: small tensors from literals, one call of a kernel, its values as doubles.
//
// Expected values are written by hand or come from PyTorch; kernels never compute them.
//
// Ownership: the test owns returned values. Failure: a call that unexpectedly fails or succeeds fails its test. Cost:
// negligible; tensors have a handful of elements.
#pragma once

#include "ccgraph/runtime/kernels.h"
#include "support/offered_windows.h"
#include "tensor/elements.h"

#include <gtest/gtest.h>

namespace ccgraph::runtime::testing {

using Keywords = std::vector<std::pair<std::string, Value>>;

/// Returns a contiguous tensor of these values, rounded to the dtype.
inline Tensor tensor(DType dtype, IntListRef sizes, const std::vector<double> &values) {
  Tensor result = Tensor::zeros(dtype, sizes);
  EXPECT_EQ(result.numElements(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i)
    writeElement<double>(dtype, result.data() + i * sizeInBytes(dtype), values[i]);
  return result;
}

inline Tensor f32(IntListRef sizes, const std::vector<double> &values) { return tensor(DType::F32, sizes, values); }
inline Tensor i64(IntListRef sizes, const std::vector<double> &values) { return tensor(DType::I64, sizes, values); }

/// Returns 0, 1, 2, ... as f32.
inline Tensor counting(IntListRef sizes) {
  std::vector<double> values(static_cast<size_t>(productOf(sizes)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(i);
  return f32(sizes, values);
}

/// Returns the elements in row-major order.
inline std::vector<double> values(const Tensor &tensor) {
  Tensor flat = tensor.contiguous();
  std::vector<double> result;
  for (int64_t i = 0; i < flat.numElements(); ++i)
    result.push_back(readElement<double>(flat.dtype(), flat.data() + i * flat.elementSize()));
  return result;
}

/// Returns a list argument, such as sizes or dimensions.
inline Value integers(const std::vector<int64_t> &numbers) {
  Value::List list;
  for (int64_t number : numbers)
    list.push_back(Value::integer(number));
  return Value::list(list);
}
inline Value number(double value) { return Value::floating(value); }
inline Value number(int64_t value) { return Value::integer(value); }
inline Value number(int value) { return Value::integer(value); }

/// Runs the kernel of a target, if it exists; then runs it once more with windows of the caller, which must give the
/// same result.
inline llvm::Expected<Value> tryCall(llvm::StringRef target, Value::List positional, Keywords keywords = {}) {
  const Kernel *kernel = findKernel(target);
  if (!kernel)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "no kernel of " + target);
  KernelCall call{std::move(positional), std::move(keywords)};
  test::TwinCall twin(call);
  llvm::Expected<Value> result = runKernel(*kernel, std::move(call));
  EXPECT_EQ(result ? twin.differenceInWindows(test::underTest(*kernel), *result) : "", "") << target.str();
  return result;
}

/// Returns the result; an error of the call fails the test.
inline Value call(llvm::StringRef target, Value::List positional, Keywords keywords = {}) {
  llvm::Expected<Value> result = tryCall(target, std::move(positional), std::move(keywords));
  if (result)
    return *result;
  ADD_FAILURE() << llvm::toString(result.takeError());
  return {};
}

/// Returns the message of a call that must fail.
inline std::string failure(llvm::StringRef target, Value::List positional, Keywords keywords = {}) {
  llvm::Expected<Value> result = tryCall(target, std::move(positional), std::move(keywords));
  if (!result)
    return llvm::toString(result.takeError());
  ADD_FAILURE() << target.str() << " gave " << result->describe();
  return {};
}

/// Returns the values of a call whose result is one tensor.
inline std::vector<double> valuesOf(llvm::StringRef target, Value::List positional, Keywords keywords = {}) {
  Value result = call(target, std::move(positional), std::move(keywords));
  return result.is(Value::Kind::Tensor) ? values(result.tensor()) : std::vector<double>();
}

/// Returns a text such as "f32[2, 3][3, 1]" for a call's result.
inline std::string typeOf(llvm::StringRef target, Value::List positional, Keywords keywords = {}) {
  Value result = call(target, std::move(positional), std::move(keywords));
  return result.describe();
}

/// Compares element by element, within an absolute tolerance.
inline void expectNear(const std::vector<double> &got, const std::vector<double> &expected, double tolerance = 1e-6) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], tolerance) << "element " << i;
}

using Doubles = std::vector<double>;

} // namespace ccgraph::runtime::testing
