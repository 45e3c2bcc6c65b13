// DeviceRun runs a kernel for devices once with its tensors in device memory: it copies them there, computes, and
// copies them back.
//
// Ownership: borrows the calls and the tensors; frees the memory that it allocated. Failure: that of the test. Cost:
// that of the copies.
#pragma once

#include "calls/gpu_calls.h"
#include "ccgraph/runtime/value.h"
#include "cuda/cuda_provider.h"

#include <gtest/gtest.h>
#include <map>

namespace ccgraph::test {

class DeviceRun {
public:
  explicit DeviceRun(runtime::GpuCalls &calls) : calls_(calls) {
    EXPECT_EQ(calls_.createStream("test", stream_), 0);
    EXPECT_EQ(calls_.createEvent("test", event_), 0);
  }
  ~DeviceRun() {
    for (const auto &[storage, memory] : memory_)
      EXPECT_EQ(calls_.release(memory), 0);
    EXPECT_EQ(calls_.destroyEvent(event_), 0);
    EXPECT_EQ(calls_.destroyStream(stream_), 0);
  }
  DeviceRun(const DeviceRun &) = delete;
  DeviceRun &operator=(const DeviceRun &) = delete;

  /// Runs the kernel; arguments and destinations then hold its results.
  void compute(llvm::StringRef target, llvm::ArrayRef<runtime::Value> arguments,
               llvm::ArrayRef<runtime::Tensor> destinations) {
    std::vector<runtime::Value> values;
    for (const runtime::Value &argument : arguments)
      values.push_back(there(argument));
    std::vector<runtime::Tensor> windows;
    for (const runtime::Tensor &destination : destinations)
      windows.push_back(destination.storage() ? there(destination) : destination);
    auto jobs = runtime::cudaJobs(target, values, windows);
    ASSERT_TRUE(static_cast<bool>(jobs)) << target.str() << ": " << llvm::toString(jobs.takeError());
    for (const runtime::device::Job &job : *jobs)
      check(calls_.compute(target, job, stream_));
    for (const auto &[storage, memory] : memory_)
      check(calls_.copy(runtime::GpuCopy::ToHost, storage->data(), memory, storage->size(), stream_));
    finish();
  }

private:
  runtime::Value there(const runtime::Value &value) {
    using Kind = runtime::Value::Kind;
    if (value.is(Kind::Tensor))
      return there(value.tensor());
    if (!value.is(Kind::List))
      return value;
    runtime::Value::List elements;
    for (const runtime::Value &element : value.list())
      elements.push_back(there(element));
    return runtime::Value::list(elements);
  }

  runtime::Tensor there(const runtime::Tensor &tensor) {
    const runtime::Storage *storage = tensor.storage();
    auto [known, isNew] = memory_.try_emplace(storage, nullptr);
    if (isNew) {
      check(calls_.allocate(runtime::GpuPurpose::Compute, storage->size(), known->second));
      check(calls_.copy(runtime::GpuCopy::ToDevice, known->second, storage->data(), storage->size(), stream_));
    }
    auto lent = std::make_shared<runtime::Storage>(0);
    lent->lookAt(known->second, storage->size());
    return runtime::Tensor::over(lent, tensor.dtype(),
                                 {IntList(tensor.sizes().begin(), tensor.sizes().end()),
                                  IntList(tensor.strides().begin(), tensor.strides().end()), tensor.offset()});
  }

  void finish() {
    bool ended = false;
    int code = calls_.record(event_, stream_);
    while (code == 0 && !ended)
      code = calls_.query(event_, ended);
    check(code);
  }
  void check(int code) { EXPECT_EQ(code, 0) << calls_.errorText(code); }

  runtime::GpuCalls &calls_;
  runtime::GpuStream stream_;
  runtime::GpuEvent event_;
  std::map<const runtime::Storage *, std::byte *> memory_;
};

} // namespace ccgraph::test
