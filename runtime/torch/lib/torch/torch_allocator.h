// TorchAllocator: PyTorch's allocator of the device, as far as captures concern it (kernel_provider.h).
//
// In a recorded run, PyTorch computes on the host and allocates no device memory, so calls are only checked against the
// rules: a call on a captured stream needs an open pool, and its graph may run as long as the pool exists.
//
// Ownership: refers to the module, which is never unloaded; the code that begins a capture owns its pool. Failure:
// PyTorch's message. Cost: an object a capture.
#pragma once

#include "ccgraph/runtime/kernel_provider.h"
#include "torch/torch_calls.h"

#include <functional>

namespace ccgraph::runtime {

class TorchAllocator final : public DeviceAllocator {
public:
  /// `calls` returns the module, which it loads at its first call.
  explicit TorchAllocator(std::function<TorchCalls &()> calls) : calls_(std::move(calls)) {}
  [[nodiscard]] llvm::Expected<std::unique_ptr<CapturedMemory>> beginCapture(const DeviceQueue &queue) const override;

private:
  std::function<TorchCalls &()> calls_;
};

/// The use of a pool by a call in a recorded run.
class TorchPoolUse {
public:
  /// Error: the queue's stream is captured, and no pool is open.
  [[nodiscard]] static llvm::Expected<TorchPoolUse> of(const DeviceQueue &queue);
  /// The call was captured, and its pool is there no more.
  [[nodiscard]] bool isGone() const { return captured_ && alive_.expired(); }

private:
  bool captured_ = false;
  std::weak_ptr<bool> alive_;
};

} // namespace ccgraph::runtime
