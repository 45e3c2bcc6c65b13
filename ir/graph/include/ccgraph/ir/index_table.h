// IndexTable: a hash table of indices into an array, which finds an element of the array by its content.
//
// A slot is four bytes, because it holds only an index; the elements, and so the keys, stay in the array. Collisions go
// to the next free slot. At most three of four slots are in use.
//
// Ownership: owns its slots; the caller passes the functions that read the array: `hashOf(index)` returns the hash of
// an element, `isWanted(index)` returns true for the element that is looked up. Failure: none. Cost: O(1) a call;
// `insert` and `erase` also hash other elements. An empty table has no slots.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ccgraph {

class IndexTable {
public:
  /// Returns an index that was inserted with this hash and that `isWanted` accepts.
  template <typename IsWanted>
  [[nodiscard]] std::optional<uint32_t> find(uint32_t hash, IsWanted isWanted) const {
    if (slots_.empty())
      return std::nullopt;
    for (size_t slot = home(hash); slots_[slot] != unused; slot = after(slot))
      if (isWanted(slots_[slot]))
        return slots_[slot];
    return std::nullopt;
  }

  /// Adds an index; the table must not contain it.
  template <typename HashOf>
  void insert(uint32_t index, HashOf hashOf) {
    if (4 * (size_ + 1) > 3 * slots_.size())
      grow(hashOf);
    ++size_;
    place(index, hashOf(index));
  }

  /// Removes an index, which the table must contain.
  template <typename HashOf>
  void erase(uint32_t index, HashOf hashOf) {
    size_t hole = home(hashOf(index));
    while (slots_[hole] != index)
      hole = after(hole);
    // A search ends at an unused slot, so each later index whose search passes the hole moves into it.
    for (size_t slot = after(hole); slots_[slot] != unused; slot = after(slot)) {
      if (distance(home(hashOf(slots_[slot])), slot) < distance(hole, slot))
        continue;
      slots_[hole] = slots_[slot];
      hole = slot;
    }
    slots_[hole] = unused;
    --size_;
  }

private:
  static constexpr uint32_t unused = UINT32_MAX;
  static constexpr size_t fewestSlots = 8;

  // The number of slots is a power of two.
  [[nodiscard]] size_t home(uint32_t hash) const { return hash & (slots_.size() - 1); }
  [[nodiscard]] size_t after(size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  [[nodiscard]] size_t distance(size_t from, size_t to) const { return (to - from) & (slots_.size() - 1); }

  void place(uint32_t index, uint32_t hash) {
    size_t slot = home(hash);
    while (slots_[slot] != unused)
      slot = after(slot);
    slots_[slot] = index;
  }

  template <typename HashOf>
  void grow(HashOf hashOf) {
    const std::vector<uint32_t> old = std::move(slots_);
    slots_ = std::vector<uint32_t>(old.empty() ? fewestSlots : 2 * old.size(), unused);
    for (uint32_t index : old)
      if (index != unused)
        place(index, hashOf(index));
  }

  std::vector<uint32_t> slots_;
  size_t size_ = 0;
};

} // namespace ccgraph
