// GpuMemory: a rank's memory on its device, and the copies between it and the host.
//
// Copies go to the stream that is chosen for them at the moment, so they are ordered with the work there; settle()
// waits for them.
//
// Ownership: borrows the calls; objects that are kept until settle() are released there. Failure: the first code is
// kept, and settle() returns it; a failed allocation is std::bad_alloc. Cost: that of the copies.
#pragma once

#include "calls/gpu_calls.h"
#include "engine/device_memory.h"

#include <functional>
#include <vector>

namespace ccgraph::runtime {

class GpuMemory final : public DeviceMemory {
public:
  /// The services of the memory's owner.
  struct Owner {
    /// Waits until the stream has completed all its work.
    std::function<llvm::Error(GpuStream)> await;
    /// Before memory goes.
    std::function<void(const std::byte *)> release;
  };
  GpuMemory(GpuCalls &calls, int64_t rank, Owner owner) : calls_(calls), rank_(rank), owner_(std::move(owner)) {}

  /// Sets the stream of the following copies.
  void use(GpuStream stream) { stream_ = stream; }

  [[nodiscard]] bool isSimulated() const override { return calls_.isSimulated(); }
  [[nodiscard]] std::byte *allocate(Home home, int64_t bytes) override;
  void release(std::byte *memory) override;
  void write(std::byte *to, const std::byte *from, int64_t bytes) override;
  void read(std::byte *to, const std::byte *from, int64_t bytes) override;
  void keep(std::shared_ptr<void> thing) override { kept_.push_back(std::move(thing)); }
  [[nodiscard]] llvm::Error settle() override;

private:
  void note(int code) { failed_ = failed_ ? failed_ : code; }

  GpuCalls &calls_;
  int64_t rank_;
  Owner owner_;
  GpuStream stream_;
  int failed_ = 0;
  std::vector<std::shared_ptr<void>> kept_;
};

} // namespace ccgraph::runtime
