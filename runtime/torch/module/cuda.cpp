// Symbols of the CUDA runtime come from the library that PyTorch itself loads: a second one beside it would be of
// another version.
#include "devices.h"

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

// In the versions with this header, pools also hold pinned memory of the host.
#if __has_include(<ATen/cuda/MemPool.h>)
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/MemPool.h>
#endif

namespace ccgraph::runtime::devices {
namespace {

using Allocator = c10::cuda::CUDACachingAllocator::CUDAAllocator;

cudaStream_t raw(uintptr_t stream) { return reinterpret_cast<cudaStream_t>(stream); }

c10::DeviceIndex indexOf(uintptr_t stream) {
#if CUDART_VERSION >= 12080
  int index = 0;
  C10_CUDA_CHECK(cudaStreamGetDevice(raw(stream), &index));
  return static_cast<c10::DeviceIndex>(index);
#else
  (void)stream;
  return c10::cuda::current_device();
#endif
}

bool isCaptured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  C10_CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

#if __has_include(<ATen/cuda/MemPool.h>)
auto newPool() { return at::cuda::MemPool::graph_pool_handle(false); }
using PoolId = decltype(newPool());

at::HostAllocator &pinned() { return *at::getHostAllocator(at::kCUDA); }

void beginPinned(PoolId pool) {
  pinned().begin_allocate_to_pool(
      pool, [](c10::Stream stream) { return isCaptured(c10::cuda::CUDAStream(stream).stream()); });
}
void endPinned(PoolId pool) { pinned().end_allocate_to_pool(pool); }
void releasePinned(PoolId pool) { pinned().release_pool(pool); }
void markBegin(Allocator &allocator, c10::DeviceIndex device) { allocator.markCaptureBegin(device); }
void markEnd(Allocator &allocator, c10::DeviceIndex device) { allocator.markCaptureEnd(device); }
#else
auto newPool() { return c10::cuda::MemPool::graph_pool_handle(false); }
using PoolId = decltype(newPool());

// These versions do not need it.
void beginPinned(PoolId /*pool*/) {}
void endPinned(PoolId /*pool*/) {}
void releasePinned(PoolId /*pool*/) {}
void markBegin(Allocator & /*allocator*/, c10::DeviceIndex /*device*/) {}
void markEnd(Allocator & /*allocator*/, c10::DeviceIndex /*device*/) {}
#endif

/// Follows the order of PyTorch's own graphs (aten/src/ATen/cuda/CUDAGraph.cpp). Memory goes to the pool before the
/// capture begins, so that none is freed in between; the pool exists until the graph is destroyed.
class Pool final : public TorchPool {
public:
  explicit Pool(c10::DeviceIndex device)
      : device_(device), id_(newPool()), allocator_(*c10::cuda::CUDACachingAllocator::get()) {
    allocator_.beginAllocateToPool(device_, id_, isCaptured);
    beginPinned(id_);
    markBegin(allocator_, device_);
  }
  ~Pool() override {
    std::string error;
    (void)end(error);
    try {
      allocator_.releasePool(device_, id_);
      releasePinned(id_);
    } catch (const c10::Error &) { // NOLINT(bugprone-empty-catch): it stays, with its memory
    }
  }
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  [[nodiscard]] bool end(std::string &error) override {
    if (!open_)
      return true;
    open_ = false;
    try {
      markEnd(allocator_, device_);
      allocator_.endAllocateToPool(device_, id_);
      endPinned(id_);
      return true;
    } catch (const c10::Error &failure) {
      error = failure.what_without_backtrace();
      return false;
    }
  }

private:
  c10::DeviceIndex device_;
  PoolId id_;
  Allocator &allocator_;
  bool open_ = true;
};

} // namespace

c10::DispatchKey dispatchKey() { return c10::DispatchKey::CUDA; }

std::string problem() {
  // This function returns 0, and throws nothing, where there is no driver.
  if (c10::cuda::device_count() > 0)
    return "";
  return "got no device that PyTorch could use (no driver of NVIDIA's, one too old for CUDA " +
         std::to_string(CUDART_VERSION / 1000) + ", or CUDA_VISIBLE_DEVICES is empty), expected one at least\n" +
         "let nvidia-smi list the devices, or take --engine nccl-recorded, which needs none";
}

c10::Device deviceOf(uintptr_t stream) { return {c10::kCUDA, indexOf(stream)}; }

// An allocator that has never been used has no devices.
std::shared_ptr<void> enterStream(uintptr_t stream) {
  at::globalContext().lazyInitDevice(c10::kCUDA);
  return std::make_shared<c10::cuda::CUDAStreamGuard>(c10::cuda::getStreamFromExternal(raw(stream), indexOf(stream)));
}

std::unique_ptr<TorchPool> openPool(uintptr_t stream) {
  at::globalContext().lazyInitDevice(c10::kCUDA);
  return std::make_unique<Pool>(indexOf(stream));
}

} // namespace ccgraph::runtime::devices
