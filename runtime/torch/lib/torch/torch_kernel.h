// TorchKernel: an operator of PyTorch as a kernel, of the host or of a device.
//
// Both ask the same: whether results may be written where the plan wants them. They may where the operator has an overload that takes
// outputs, and no window lies over an operand; else the operator makes tensors of its own, which are copied. On the host its
// own tensors are told to the engine; on a device they are copied on the same stream. A recorded run, whose device's memory is
// the host's, makes the device's call with PyTorch's kernels of the host, when the model comes to it.
//
// Memory for what lies between is PyTorch's own: of its allocator of the device, which gives it out and takes it back in the order of the
// stream, and holds what a graph has been captured with.
//
// Ownership: kernels refer to the module's operators, which live on; a call that is acted holds its tensors until it has run. Failure:
// PyTorch's words, behind the operator's name. Cost: that of the dispatcher, some microseconds.
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
