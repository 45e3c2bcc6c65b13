// DeviceMemory: memory that the host cannot read, and the copies to it and back.
//
// A rank's arenas lie in the host's own memory, or in a device's. For device memory, this class copies inputs, results,
// and the operands of steps that the host computes. Tensors are windows onto it too, but no host code reads their
// elements. Copies are asynchronous until settle(): sources must remain valid until then, and destinations are valid
// only then.
//
// Ownership: the caller that allocated memory releases it. Failure: std::bad_alloc where there is none; of copies, the
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
