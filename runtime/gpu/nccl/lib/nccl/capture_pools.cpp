#include "nccl/capture_pools.h"

#include "calls/gpu_error.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {

static llvm::Error failed(llvm::Error error) {
  return ncclError("memory for what is captured: " + llvm::toString(std::move(error)));
}

llvm::Error CapturePools::begin(llvm::ArrayRef<const DeviceAllocator *> allocators, const DeviceQueue &queue) {
  for (const DeviceAllocator *allocator : allocators) {
    llvm::Expected<std::unique_ptr<CapturedMemory>> memory = allocator->beginCapture(queue);
    if (!memory)
      return failed(memory.takeError());
    pools_.push_back({allocator, std::move(*memory)});
  }
  underWay_ = true;
  return llvm::Error::success();
}

llvm::Error CapturePools::end() {
  underWay_ = false;
  llvm::Error error = llvm::Error::success();
  for (const Pool &pool : pools_)
    error = llvm::joinErrors(std::move(error), pool.memory->end());
  return error ? failed(std::move(error)) : llvm::Error::success();
}

CapturedMemory *CapturePools::of(const DeviceAllocator *allocator) const {
  auto found = llvm::find_if(pools_, [&](const Pool &pool) { return pool.allocator == allocator; });
  return underWay_ && found != pools_.end() ? found->memory.get() : nullptr;
}

} // namespace ccgraph::runtime
