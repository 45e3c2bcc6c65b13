// Arena: one stretch of memory that a run holds, aligned as its user needs; the host's, or a device's.
//
// Before the first use each byte of the host's is 0xff (NaN in floats, -1 in integers), so that a step which reads what nobody wrote
// is seen.
//
// Ownership: owns its bytes; the host's count towards the run of the memory limit in force when it was made. Failure: std::bad_alloc,
// see memory_limit.h. Cost: a write of each byte, of the host's.
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
  /// Of a device, which must live longer.
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
