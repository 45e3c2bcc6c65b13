// CapturePools: the memory that kernels take while the steps of a rank are captured, which is the graph's
// (kernel_provider.h).
//
// Ownership: owns the memory, so the graph goes before it. Failure: run.nccl, with the allocator's error. Cost: one
// object an allocator; a look-up for each kernel that is captured.
#pragma once

#include "ccgraph/runtime/kernel_provider.h"

#include "llvm/ADT/SmallVector.h"

namespace ccgraph::runtime {

class CapturePools {
public:
  /// Before the capture. `queue`: where it begins.
  [[nodiscard]] llvm::Error begin(llvm::ArrayRef<const DeviceAllocator *> allocators, const DeviceQueue &queue);
  /// After it, whether it has failed or not.
  [[nodiscard]] llvm::Error end();
  /// Returns the memory for a kernel with this allocator. Null: there is no capture.
  [[nodiscard]] CapturedMemory *of(const DeviceAllocator *allocator) const;
  /// Releases the memory after the graph is destroyed.
  void clear() { pools_.clear(); }

private:
  struct Pool {
    const DeviceAllocator *allocator = nullptr;
    std::unique_ptr<CapturedMemory> memory;
  };
  std::vector<Pool> pools_;
  bool underWay_ = false;
};

} // namespace ccgraph::runtime
