// StorageUses: tells when the steps of a program use each storage, so that a pass can decide whether two storages may
// become one.
//
// A step uses a storage if it reads, writes, completes or reshapes a tensor in it, or observes its place. A view only
// names it. A collective uses the storages that it reads, writes and returns from its launch to the last of its waits.
//
// Places are positions in program order, from 0.
//
// Ownership: refers to the facts, and is valid until the graph is edited; the queries also hold while calls are
// replaced in place. Failure: none; a launch without a wait uses its storages to the end. Cost: 8 bytes an access to
// construct; queries O(log n).
#pragma once

#include "analysis/program_facts.h"

namespace ccgraph {

/// Returns the last of the waits that complete a launch; null if some result has none.
[[nodiscard]] const Node *lastWaitOf(const Node &launch, const AsyncPairs &pairs);

/// Returns true if a node makes memory of its own that no other part of the program keeps.
[[nodiscard]] bool makesOwnMemory(const Node &owner);

/// Returns the storage of a value; empty if it may be in several, or in a pool of them.
[[nodiscard]] std::optional<StorageId> onlyStorage(const StorageMap &storages, const Node &value);

class StorageUses {
public:
  static constexpr uint32_t never = UINT32_MAX;

  explicit StorageUses(const ProgramFacts &facts);

  [[nodiscard]] uint32_t place(const Node &node) const { return place_[node.id()]; }
  /// Returns true if a step between the two places, both excluded, uses the storage.
  [[nodiscard]] bool isUsedBetween(StorageId storage, uint32_t first, uint32_t last) const;
  /// Returns the first place after this one at which a step writes the storage.
  [[nodiscard]] uint32_t firstWriteAfter(StorageId storage, uint32_t place) const;
  /// Returns the first place after this one of a step with unknown effects.
  [[nodiscard]] uint32_t firstOpaqueAfter(uint32_t place) const;
  /// Returns the last place at which the storage is used, which is the last of its waits for a collective in flight.
  [[nodiscard]] uint32_t lastUse(StorageId storage) const { return lastUse_[storage]; }
  /// Returns the last place at which the storage is used or named.
  [[nodiscard]] uint32_t lastName(StorageId storage) const { return std::max(lastName_[storage], lastUse_[storage]); }
  /// Returns true if the program returns a value in the storage.
  [[nodiscard]] bool isReturned(StorageId storage) const { return returned_[storage]; }

  /// Adds a write that a rewrite will make at a place.
  void addWrite(StorageId storage, uint32_t place);
  /// Counts the uses of `other` as uses of `storage` too.
  void join(StorageId storage, StorageId other);

private:
  using Places = llvm::SmallVector<uint32_t, 2>;
  void note(const ProgramFacts &facts, const Node &node);
  void extend(StorageId storage, uint32_t place) { lastUse_[storage] = std::max(lastUse_[storage], place); }

  std::vector<uint32_t> place_; ///< by node id
  /// by storage, ascending
  std::vector<Places> uses_;
  std::vector<Places> writes_;
  std::vector<uint32_t> lastUse_;  ///< by storage
  std::vector<uint32_t> lastName_; ///< by storage
  std::vector<bool> returned_;     ///< by storage
  std::vector<uint32_t> opaque_;   ///< ascending
};

} // namespace ccgraph
