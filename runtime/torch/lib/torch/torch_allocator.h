// TorchAllocator: PyTorch's allocator of the device, as far as captures concern it (kernel_provider.h).
//
// In a recorded run, where PyTorch computes on the host and takes no memory of a device, what is asked is only held to the rules: a call on a
// captured stream needs a pool that is open, and its graph may run as long as the pool is there.
//
// Ownership: refers to the module, which lives on; who begins a capture owns its pool. Failure: PyTorch's words. Cost: an object a
// capture.
#pragma once

#include "ccgraph/runtime/kernel_provider.h"
#include "torch/torch_calls.h"

#include <functional>

namespace ccgraph::runtime {

class TorchAllocator final : public DeviceAllocator {
public:
  /// `calls`: the module, which is loaded when it is asked.
  explicit TorchAllocator(std::function<TorchCalls &()> calls) : calls_(std::move(calls)) {}
  [[nodiscard]] llvm::Expected<std::unique_ptr<CapturedMemory>> beginCapture(const DeviceQueue &queue) const override;

private:
  std::function<TorchCalls &()> calls_;
};

/// That of a call in a recorded run.
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
