// MemoryCurve: bytes by place in the program order, with additions to ranges and the largest of a range.
//
// A segment tree: each node has the largest of its places, and what was added to all of them at once.
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
  void add(size_t from, size_t to, int64_t bytes) { add({1, 0, size_}, from, to, bytes); }
  /// Of the places of [from, to), at least one.
  [[nodiscard]] int64_t largest(size_t from, size_t to) const { return largest({1, 0, size_}, from, to); }

private:
  /// A node of the tree, and the places below it.
  struct Part {
    size_t node;
    size_t from;
    size_t to;
    [[nodiscard]] size_t middle() const { return (from + to) / 2; }
    [[nodiscard]] Part left() const { return {2 * node, from, middle()}; }
    [[nodiscard]] Part right() const { return {2 * node + 1, middle(), to}; }
  };
  void add(Part part, size_t from, size_t to, int64_t bytes);
  [[nodiscard]] int64_t largest(Part part, size_t from, size_t to) const;

  size_t size_ = 1;
  std::vector<int64_t> largest_, added_;
};

} // namespace ccgraph::overlap
