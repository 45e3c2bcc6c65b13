// UseLog: the steps of the program before that use each storage, for rules by which two storages become one.
//
// A step uses a storage if it does more than share it: it accesses elements, observes a place, reshapes a tensor, or
// waits. What a launch reads, writes and returns is in use until the last of its waits, also what it copies, since a
// backend may leave out the copy.
//
// Ownership: refers to the evidence. Failure: none. Cost: O(n + e) to construct; queries O(log n).
#pragma once

#include "checks.h"

namespace ccgraph::legality {

class UseLog {
public:
  explicit UseLog(const Evidence &evidence);

  /// Returns the first step after this one that uses the storage; `none` if there is none.
  [[nodiscard]] uint32_t nextUse(uint32_t storage, uint32_t step) const { return next(uses_[storage], step); }
  /// Returns the first step after this one that writes the storage; `none` if there is none.
  [[nodiscard]] uint32_t nextWrite(uint32_t storage, uint32_t step) const { return next(writes_[storage], step); }
  /// Returns the first opaque step after this one; `none` if there is none.
  [[nodiscard]] uint32_t nextOpaque(uint32_t step) const { return next(opaque_, step); }
  /// Returns the last step up to which the storage is in use.
  [[nodiscard]] uint32_t lastUse(uint32_t storage) const { return last_[storage]; }
  /// Returns true if a launch before this step has the storage, and a wait on the launch is after this step.
  [[nodiscard]] bool isHeldAt(uint32_t storage, uint32_t step) const;
  [[nodiscard]] bool isReturned(uint32_t storage) const { return returned_[storage]; }
  /// Returns true if some step, other than the output, observes the place of a tensor in the storage.
  [[nodiscard]] bool isPlaced(uint32_t storage) const { return placed_[storage]; }
  /// Adds a write that the program after makes at this step.
  void addWrite(uint32_t storage, uint32_t step);

private:
  using Steps = llvm::SmallVector<uint32_t, 2>;
  /// A launch, and the last of the waits on it and on the launches before it that have the storage.
  struct Hold {
    uint32_t launch = 0;
    uint32_t end = 0;
  };
  static uint32_t next(llvm::ArrayRef<uint32_t> steps, uint32_t step);
  void noteStep(uint32_t index);
  void noteUse(uint32_t storage, uint32_t index, Access access);
  void hold(uint32_t storage, Hold launch);

  const Evidence &evidence_;
  std::vector<uint32_t> ends_; ///< by step: the last wait of a launch
  // By storage; steps ascend.
  std::vector<Steps> uses_, writes_;
  std::vector<llvm::SmallVector<Hold, 1>> holds_;
  std::vector<uint32_t> last_;
  std::vector<bool> returned_, placed_;
  std::vector<uint32_t> opaque_; ///< ascending
};

/// Returns the storage that a value has to itself; `none` if it may be in several, or in one that several count as.
[[nodiscard]] uint32_t soleStorage(const Storages &storages, uint32_t value);

/// Returns true if a known operator made the storage, as memory of its own.
[[nodiscard]] bool isMadeByCall(const Evidence &evidence, uint32_t storage);

/// Returns true if the value has all bytes of the storage.
[[nodiscard]] bool fillsStorage(const Evidence &evidence, uint32_t value, uint32_t storage);

} // namespace ccgraph::legality
