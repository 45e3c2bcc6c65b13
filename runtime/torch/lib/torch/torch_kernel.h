// TorchKernel: an operator of PyTorch as a kernel, of the host or of a device.
//
// In both cases, results may be written to the plan's windows if the operator has an overload with outputs, and no
// window overlaps an operand. Otherwise the operator makes tensors of its own, which are copied. On the host, the
// engine receives these tensors; on a device they are copied on the same stream. A recorded run, whose device memory is
// host memory, makes the device's call with PyTorch's host kernels, when the model schedules it.
//
// Memory for intermediate tensors is PyTorch's own. Its device allocator allocates and frees in the order of the
// stream, and keeps the memory of a captured graph.
//
// Ownership: kernels refer to the module's operators, which are never destroyed; a simulated call holds its tensors
// until it has run. Failure: PyTorch's message, after the operator's name. Cost: that of the dispatcher, some
// microseconds.
#pragma once

#include "ccgraph/runtime/kernel_provider.h"
#include "torch/torch_calls.h"
#include "torch/torch_values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <atomic>

namespace ccgraph::runtime {

class TorchKernel final : public ProvidedKernel, public DeviceKernel {
public:
  TorchKernel(std::string target, const TorchOperator &op, const DeviceAllocator &allocator)
      : target_(std::move(target)), op_(&op), allocator_(&allocator) {}

  [[nodiscard]] llvm::StringRef parameters() const override { return op_->parameters(); }
  [[nodiscard]] bool isOnHost() const override { return op_->runsOnHost(); }
  [[nodiscard]] const DeviceKernel *onDevice() const override { return op_->runsOnDevice() ? this : nullptr; }
  [[nodiscard]] llvm::Expected<Value> compute(llvm::ArrayRef<Value> values,
                                              llvm::ArrayRef<Tensor> destinations) const override;

  [[nodiscard]] bool takes(llvm::ArrayRef<DType> dtypes) const override;
  [[nodiscard]] llvm::Error enqueue(llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor> destinations,
                                    const DeviceQueue &queue) const override;
  [[nodiscard]] const DeviceAllocator *allocator() const override { return allocator_; }
  [[nodiscard]] bool canBeSimulated() const override { return op_->runsOnHost(); }
  [[nodiscard]] std::string whyNotCaptured(llvm::ArrayRef<Value> values) const override;

private:
  class SimulatedCall;
  [[nodiscard]] bool attempt(llvm::ArrayRef<Tensor> destinations, llvm::ArrayRef<Tensor> arguments,
                             llvm::function_ref<bool(bool direct)> call) const;
  [[nodiscard]] bool mayWriteTo(llvm::ArrayRef<Tensor> destinations, llvm::ArrayRef<Tensor> arguments) const;
  [[nodiscard]] llvm::Error act(llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor> destinations,
                                const DeviceQueue &queue) const;
  [[nodiscard]] llvm::Error fill(llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor> destinations,
                                 const TorchPlace &place) const;
  [[nodiscard]] llvm::Error wrong(const llvm::Twine &message) const;

  std::string target_;
  const TorchOperator *op_;
  const DeviceAllocator *allocator_;
  mutable std::atomic<bool> refusesOutputs_ = false;
};

} // namespace ccgraph::runtime
