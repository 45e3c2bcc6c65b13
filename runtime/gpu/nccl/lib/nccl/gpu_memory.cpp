#include "nccl/gpu_memory.h"

#include "calls/gpu_error.h"
#include "process/memory_limit.h"

namespace ccgraph::runtime {

static GpuPurpose purposeOf(Home home) {
  switch (home) {
  case Home::Input:
  case Home::Attribute:
    return GpuPurpose::Inputs;
  case Home::Compute:
    return GpuPurpose::Compute;
  case Home::Communication:
    return GpuPurpose::Communication;
  case Home::Growing:
  case Home::Host: // a plan with such a buffer is refused before it runs
    return GpuPurpose::Growing;
  }
  return GpuPurpose::Compute;
}

std::byte *GpuMemory::allocate(Home home, int64_t bytes) {
  std::byte *memory = nullptr;
  if (calls_.allocate(purposeOf(home), bytes, memory) != 0)
    throw OutOfMemory(bytes);
  return memory;
}

void GpuMemory::release(std::byte *memory) {
  owner_.release(memory);
  note(calls_.release(memory));
}

void GpuMemory::write(std::byte *to, const std::byte *from, int64_t bytes) {
  if (bytes != 0)
    note(calls_.copy(GpuCopy::ToDevice, to, from, bytes, stream_));
}

void GpuMemory::read(std::byte *to, const std::byte *from, int64_t bytes) {
  if (bytes != 0)
    note(calls_.copy(GpuCopy::ToHost, to, from, bytes, stream_));
}

llvm::Error GpuMemory::settle() {
  llvm::Error error = owner_.await(stream_);
  if (!error && failed_)
    error = gpuError(calls_, rank_, "copying between host and device", failed_);
  kept_.clear();
  return error;
}

} // namespace ccgraph::runtime
