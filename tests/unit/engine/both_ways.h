// Computes an operator in two ways: by a kernel for devices, executed on the CPU (device/run_on_host.h), and by
// ccgraph's host kernel.
//
// If CCGRAPH_ON_DEVICE is set, the device of this machine executes the first one through the module of the nccl engine,
// so the same tests cover a real device.
//
// Plain functions. Failure: that of the test. Cost: that of both kernels.
#pragma once

#include "calls/gpu_module.h"
#include "ccgraph/runtime/kernels.h"
#include "cuda/cuda_provider.h"
#include "device/run_on_host.h"
#include "device_run.h"
#include "tensor/elements.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace ccgraph::test {

using runtime::Kernel;
using runtime::KernelCall;
using runtime::Tensor;
using runtime::Tensors;
using runtime::Value;
using Values = Value::List;

// --- Values ---------------------------------------------------------------------------------------------------

inline std::vector<double> elementsOf(const Tensor &tensor) {
  Tensor wide = Tensor::zeros(DType::F64, tensor.sizes());
  wide.copyFrom(tensor);
  const auto *data = reinterpret_cast<const double *>(wide.data());
  return {data, data + wide.numElements()};
}

/// Returns numbers between -`most` and `most`, the same in each run.
inline Tensor drawn(DType dtype, llvm::ArrayRef<int64_t> sizes, double most = 3) {
  static std::mt19937 engine(7);
  Tensor wide = Tensor::zeros(DType::F64, sizes);
  auto *data = reinterpret_cast<double *>(wide.data());
  std::uniform_real_distribution<double> numbers(-most, most);
  for (int64_t i = 0; i < wide.numElements(); ++i)
    data[i] = numbers(engine);
  Tensor tensor = Tensor::zeros(dtype, sizes);
  tensor.copyFrom(wide);
  return tensor;
}

/// Returns the same arguments in memory of their own.
inline Value cloned(const Value &value) {
  if (value.is(Value::Kind::Tensor)) {
    const Tensor &old = value.tensor();
    Tensor made = Tensor::zeros(old.dtype(), old.sizes(), old.strides());
    made.copyFrom(old);
    return made;
  }
  if (!value.is(Value::Kind::List))
    return value;
  Values elements;
  for (const Value &element : value.list())
    elements.push_back(cloned(element));
  return Value::list(elements);
}

inline void collect(const Value &value, Tensors &tensors) {
  if (value.is(Value::Kind::Tensor))
    tensors.push_back(value.tensor());
  if (value.is(Value::Kind::List))
    for (const Value &element : value.list())
      collect(element, tensors);
}

/// Returns for each result unwritten memory of the same type; none for a result that is an argument.
inline Tensors destinationsFor(const Tensors &results, const Tensors &arguments) {
  Tensors destinations;
  for (const Tensor &result : results) {
    Tensor &made = destinations.emplace_back();
    if (llvm::any_of(arguments, [&](const Tensor &argument) { return argument.aliases(result); }))
      continue;
    made = Tensor::zeros(result.dtype(), result.sizes(), result.strides());
    if (made.sharedStorage()->size() == 0)
      continue;
    std::memset(made.sharedStorage()->data(), 0xff, static_cast<size_t>(made.sharedStorage()->size()));
  }
  return destinations;
}

// --- Both ways ------------------------------------------------------------------------------------------------

inline double toleranceOf(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return 1e-12;
  case DType::F32:
    return 2e-5;
  case DType::F16:
    return 2e-3;
  case DType::BF16:
    return 1.6e-2;
  default: // NOLINT: the others are exact
    return 0;
  }
}

inline void expectClose(const Tensor &got, const Tensor &expected, const std::string &what) {
  ASSERT_EQ(got.dtype(), expected.dtype()) << what;
  // The elements are not numbers to compute with, such as the seed of attention, so bytes are compared.
  if (!runtime::computable(expected.dtype())) {
    ASSERT_TRUE(got.toHost().data == expected.toHost().data) << what;
    return;
  }
  std::vector<double> mine = elementsOf(got), theirs = elementsOf(expected);
  for (size_t i = 0; i < theirs.size(); ++i) {
    if (std::isnan(theirs[i]) ? std::isnan(mine[i]) : mine[i] == theirs[i])
      continue;
    double allowed = toleranceOf(expected.dtype()) * (1 + std::fabs(theirs[i]));
    ASSERT_LE(std::fabs(mine[i] - theirs[i]), allowed) << what << ", element " << i << ", expected " << theirs[i];
  }
}

inline std::string textOf(llvm::StringRef target, const Values &arguments) {
  std::string text = target.str();
  for (const Value &argument : arguments)
    text += ", " + argument.describe();
  return text;
}

/// Returns null if the environment does not request the device.
inline runtime::GpuCalls *deviceUnderTest() {
  static runtime::GpuCalls *const calls = []() -> runtime::GpuCalls * {
    if (!std::getenv("CCGRAPH_ON_DEVICE"))
      return nullptr;
    runtime::GpuModule *module = llvm::cantFail(runtime::loadGpuModule());
    return module->use(0) == 0 ? &module->calls() : nullptr;
  }();
  return calls;
}

/// `order` is the order of the units if the CPU executes them.
inline void computeAsDevice(llvm::StringRef target, const Values &arguments, const Tensors &destinations,
                            uint64_t order) {
  if (runtime::GpuCalls *calls = deviceUnderTest())
    return DeviceRun(*calls).compute(target, arguments, destinations);
  auto jobs = runtime::cudaJobs(target, arguments, destinations);
  ASSERT_TRUE(static_cast<bool>(jobs)) << llvm::toString(jobs.takeError());
  for (const runtime::device::Job &job : *jobs)
    ASSERT_TRUE(runOnHost(job, order));
}

/// Runs the operator in both ways, and compares results and arguments.
inline void expectAsOnHost(llvm::StringRef target, const Values &arguments) {
  std::string what = textOf(target, arguments);
  const Kernel *kernel = runtime::findKernel(target);
  ASSERT_NE(kernel, nullptr) << what;
  Values theirs = cloned(Value::list(arguments)).list();
  Value computed = llvm::cantFail(runKernel(*kernel, KernelCall{theirs, {}}), what.c_str());
  Tensors expected, expectedArguments;
  collect(computed, expected);
  collect(Value::list(theirs), expectedArguments);
  for (uint64_t order : {0, 1, 6, 7}) {
    Values mine = cloned(Value::list(arguments)).list();
    Tensors given, destinations = destinationsFor(expected, expectedArguments);
    collect(Value::list(mine), given);
    computeAsDevice(target, mine, destinations, order);
    for (size_t i = 0; i < expected.size(); ++i)
      if (destinations[i].storage())
        expectClose(destinations[i], expected[i], what + ", result " + std::to_string(i));
    for (size_t i = 0; i < given.size(); ++i)
      expectClose(given[i], expectedArguments[i], what + ", argument " + std::to_string(i));
  }
}

} // namespace ccgraph::test
