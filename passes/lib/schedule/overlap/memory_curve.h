// MemoryCurve: bytes by place in the program order, with additions to ranges and the largest of a range.
//
// A segment tree: each node has the largest of its places, and what was added to all of them at once. Ranges are climbed from their
// two borders to the root, without recursion, because schedule-overlap asks and adds millions of times.
//
// Ownership: owns its numbers. Fails never. Cost: O(n) to build, O(log n) each question and addition.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace ccgraph::overlap {

class MemoryCurve {
public:
  explicit MemoryCurve(llvm::ArrayRef<int64_t> bytes);

  /// To each place of [from, to).
  void add(size_t from, size_t to, int64_t bytes);
  /// Of the places of [from, to), at least one.
  [[nodiscard]] int64_t largest(size_t from, size_t to) const;

private:
  struct Node {
    /// of the places below, with what was added here but not above
    int64_t largest;
    /// to all places below at once
    int64_t added;
  };
  void addAt(size_t node, int64_t bytes);
  void update(size_t node);

  /// The leaf of place 0 is one behind the first, so that each range has a leaf before it and one behind it.
  size_t leaves_ = 1;
  /// nodes_[1] is the root, and the children of n are 2 n and 2 n + 1.
  std::vector<Node> nodes_;
};

} // namespace ccgraph::overlap
