// StorageUse: what the steps of the program after do to storages, for the rules that put a second value beside the
// first.
//
// Ownership: refers to the evidence. Failure: none. Cost: O(n + e) to construct; a query is a search in the writers of
// one storage.
#pragma once

#include "checks.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph::legality {

[[nodiscard]] inline bool writesElements(Access access) {
  return hasAny(access, Access::Write | Access::InFlightWrite);
}

class StorageUse {
public:
  explicit StorageUse(const Evidence &evidence);

  /// Returns the first step of the range that writes what the value occupies, and does not just free it; `none` if
  /// there is none.
  [[nodiscard]] uint32_t writer(uint32_t value, uint32_t from, uint32_t to) const;
  /// Returns a step, except this one, that writes or frees what the value occupies; `none` if there is none.
  [[nodiscard]] uint32_t otherWriter(uint32_t value, uint32_t except) const;
  /// Returns the wait that frees what the value occupies; `none` if there is none.
  [[nodiscard]] uint32_t freeing(uint32_t value) const;
  /// Returns a step that may see the address of what the value occupies: an opaque one, or the output.
  [[nodiscard]] uint32_t observer(uint32_t value) const;
  /// Returns the first opaque step of the range; `none` if there is none.
  [[nodiscard]] uint32_t opaque(uint32_t from, uint32_t to) const;
  [[nodiscard]] bool isReshaped(uint32_t value) const;
  /// Returns true if the step reads what is in flight, whose elements are not known.
  [[nodiscard]] bool readsInFlight(uint32_t step) const { return intruders_.contains(step); }

private:
  void note(uint32_t index);

  const Program &after_;
  const Storages &storages_;
  std::vector<llvm::SmallVector<uint32_t, 1>> writers_; ///< by storage, ascending
  std::vector<uint32_t> observers_;                     ///< by storage
  llvm::SmallVector<uint32_t, 8> opaque_;
  llvm::DenseSet<uint32_t> intruders_; ///< looked up only
};

} // namespace ccgraph::legality
