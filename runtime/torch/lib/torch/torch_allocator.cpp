#include "torch/torch_allocator.h"

#include "calls/gpu_calls.h"

namespace ccgraph::runtime {
namespace {

llvm::Error wrong(const std::string &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

class Pool final : public CapturedMemory {
public:
  explicit Pool(std::unique_ptr<TorchPool> pool) : pool_(std::move(pool)) {}
  [[nodiscard]] llvm::Error end() override {
    std::string error;
    return pool_->end(error) ? llvm::Error::success() : wrong("PyTorch's pool of memory: " + error);
  }

private:
  std::unique_ptr<TorchPool> pool_;
};

class SimulatedPool final : public CapturedMemory {
public:
  [[nodiscard]] llvm::Error end() override {
    *open_ = false;
    return llvm::Error::success();
  }
  [[nodiscard]] const std::shared_ptr<bool> &open() const { return open_; }

private:
  std::shared_ptr<bool> open_ = std::make_shared<bool>(true);
};

} // namespace

llvm::Expected<std::unique_ptr<CapturedMemory>> TorchAllocator::beginCapture(const DeviceQueue &queue) const {
  if (queue.isSimulated)
    return std::make_unique<SimulatedPool>();
  std::string error;
  std::unique_ptr<TorchPool> pool(calls_().openPool(queue.stream, error));
  if (!pool)
    return wrong("PyTorch's pool of memory: " + error);
  return std::make_unique<Pool>(std::move(pool));
}

llvm::Expected<TorchPoolUse> TorchPoolUse::of(const DeviceQueue &queue) {
  TorchPoolUse use;
  if (int code = queue.calls->isCaptured({queue.stream}, use.captured_))
    return wrong(queue.calls->errorText(code));
  // Because a recorded run makes no other pools for this allocator.
  const auto *pool = static_cast<const SimulatedPool *>(queue.captured);
  if (!use.captured_)
    return use;
  if (!pool || !*pool->open())
    return wrong("got a captured stream and no open pool of memory for its graph, expected one");
  use.alive_ = pool->open();
  return use;
}

} // namespace ccgraph::runtime
