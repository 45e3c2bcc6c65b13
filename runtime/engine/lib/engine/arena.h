// Arena: one contiguous block of memory of a run, aligned as its user needs, on the host or on a device.
//
// Before the first use each byte of the host's is 0xff (NaN in floats, -1 in integers), so that a read of unwritten
// memory shows.
//
// Ownership: owns its bytes; those on the host count towards the run whose memory limit was active when it was made.
// Failure: std::bad_alloc, see memory_limit.h. Cost: a write of each byte, on the host only.
#pragma once

#include "engine/device_memory.h"
#include "process/memory_limit.h"

#include <cstddef>

namespace ccgraph::runtime {

class Arena {
public:
  Arena() = default;
  /// `alignment`: a power of two.
  Arena(int64_t bytes, int64_t alignment);
  /// Allocates on a device, which must live longer.
  Arena(int64_t bytes, Home home, DeviceMemory &device);
  ~Arena();
  Arena(Arena &&other) noexcept { swap(other); }
  Arena &operator=(Arena &&other) noexcept {
    swap(other);
    return *this;
  }
  [[nodiscard]] std::byte *data() const { return data_; }
  [[nodiscard]] int64_t size() const { return size_; }

private:
  void swap(Arena &other) noexcept;
  std::shared_ptr<MemoryAccount> account_;
  std::byte *data_ = nullptr;
  int64_t size_ = 0;
  int64_t alignment_ = 1;
  /// null: the host's own memory
  DeviceMemory *device_ = nullptr;
};

} // namespace ccgraph::runtime
