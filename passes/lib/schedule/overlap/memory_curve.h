// MemoryCurve: bytes by position in program order, with additions to ranges and the maximum of a range.
//
// A segment tree: each node stores the maximum of its positions, and the additions to all of them. Ranges are processed
// from their two borders up to the root, without recursion, because schedule-overlap queries and updates them millions
// of times.
//
// LiveBytes (analysis/live_bytes.h) answers the same questions about a graph whose nodes move, so its rows are nodes of
// a balanced tree of pointers, and it stores the holders of each interval. A schedule has a fixed order, and its search
// builds and discards curves: an array of numbers is smaller and faster, and has no holders to keep up to date. So each
// has its own structure.
//
// Ownership: owns its numbers. Failure: none. Cost: O(n) to build, O(log n) each query and addition.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace ccgraph::overlap {

class MemoryCurve {
public:
  explicit MemoryCurve(llvm::ArrayRef<int64_t> bytes);

  /// Adds to each position of [from, to).
  void add(size_t from, size_t to, int64_t bytes);
  /// Returns the maximum of the positions of [from, to), at least one.
  [[nodiscard]] int64_t largest(size_t from, size_t to) const;

private:
  struct Node {
    /// maximum of the positions below, including additions here but not above
    int64_t largest;
    /// addition to all positions below
    int64_t added;
  };
  void addAt(size_t node, int64_t bytes);
  void update(size_t node);

  /// The leaf of position 0 is the second one, so that each range has a leaf before it and a leaf after it.
  size_t leaves_ = 1;
  /// nodes_[1] is the root, and the children of n are 2 n and 2 n + 1.
  std::vector<Node> nodes_;
};

} // namespace ccgraph::overlap
