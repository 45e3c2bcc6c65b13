// DeviceMemory: memory that the host cannot look at, and how bytes get there and back.
//
// A rank's arenas lie in the host's own memory, or in a device's. Where it is a device's, whoever brings inputs, takes results, or
// lets the host compute a step asks here; tensors are windows onto it all the same, whose elements nobody on the host reads.
// Bytes are on their way until settle(): what is to be written must stay where it is until then, and what is read is there only then.
//
// Ownership: memory that was allocated is released by who asked for it. Failure: std::bad_alloc where there is none; of copies, the
// error of settle(). Cost: that of the copies; settle() waits for them.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/Support/Error.h"

#include <cstddef>
#include <memory>

namespace ccgraph::runtime {

class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;
  /// The CPU acts the device.
  [[nodiscard]] virtual bool isSimulated() const { return false; }
  /// Aligned to arenaAlignment. `home`: what the memory is for.
  [[nodiscard]] virtual std::byte *allocate(Home home, int64_t bytes) = 0;
  virtual void release(std::byte *memory) = 0;
  /// Host bytes to the device.
  virtual void write(std::byte *to, const std::byte *from, int64_t bytes) = 0;
  /// Bytes of the device to the host.
  virtual void read(std::byte *to, const std::byte *from, int64_t bytes) = 0;
  /// Something that is to live until settle().
  virtual void keep(std::shared_ptr<void> thing) = 0;
  [[nodiscard]] virtual llvm::Error settle() = 0;
};

} // namespace ccgraph::runtime
