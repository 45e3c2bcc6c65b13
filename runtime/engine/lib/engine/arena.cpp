#include "engine/arena.h"

#include <cstring>

namespace ccgraph::runtime {

Arena::Arena(int64_t bytes, int64_t alignment) : account_(MemoryLimit::account()), size_(bytes), alignment_(alignment) {
  account_->take(bytes);
  try {
    data_ =
        static_cast<std::byte *>(::operator new(static_cast<size_t>(bytes), static_cast<std::align_val_t>(alignment)));
  } catch (...) {
    account_->give(bytes);
    throw;
  }
  std::memset(data_, 0xff, static_cast<size_t>(bytes));
}

Arena::Arena(int64_t bytes, Home home, DeviceMemory &device)
    : data_(device.allocate(home, bytes)), size_(bytes), device_(&device) {}

Arena::~Arena() {
  if (!data_)
    return;
  if (device_) {
    device_->release(data_);
    return;
  }
  ::operator delete(data_, static_cast<std::align_val_t>(alignment_));
  account_->give(size_);
}

void Arena::swap(Arena &other) noexcept {
  std::swap(account_, other.account_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(alignment_, other.alignment_);
  std::swap(device_, other.device_);
}

} // namespace ccgraph::runtime
