// BucketHolds: the additional storages that the last wait of each bucket holds.
//
// A bucket is one collective for all its members: all their inputs and outputs are in flight until the last of their
// waits, whichever waits come before it.
//
// Ownership: owns its numbers. Failure: none. Cost: linear in steps if there are buckets, else none.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

class BucketHolds {
public:
  BucketHolds(const Problem &problem, const Schedule &schedule);
  /// Returns the additional storages, each once.
  [[nodiscard]] llvm::ArrayRef<uint32_t> beside(uint32_t step) const {
    return lists_.empty() || listOf_[step] == none ? llvm::ArrayRef<uint32_t>() : llvm::ArrayRef(lists_[listOf_[step]]);
  }
  /// Returns the lists of all waits that have one.
  [[nodiscard]] llvm::ArrayRef<std::vector<uint32_t>> lists() const { return lists_; }

private:
  /// by step: the index of its list; none if it has none
  std::vector<uint32_t> listOf_;
  std::vector<std::vector<uint32_t>> lists_;
};

} // namespace ccgraph::overlap
