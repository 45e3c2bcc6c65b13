// BucketHolds: the additional storages that the last wait of each bucket holds.
//
// A bucket is one collective for all its members: all their inputs and outputs are in flight until the last of their
// waits, whichever waits come before it.
//
// Ownership: owns its numbers. Failure: none. Cost: linear in steps if there are buckets, else none.
#pragma once

#include "schedule/overlap/problem.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::overlap {

class BucketHolds {
public:
  BucketHolds(const Problem &problem, const Schedule &schedule);
  /// Returns the additional storages, each once.
  [[nodiscard]] llvm::ArrayRef<uint32_t> beside(uint32_t step) const {
    auto found = held_.find(step);
    return found == held_.end() ? llvm::ArrayRef<uint32_t>() : llvm::ArrayRef<uint32_t>(found->second);
  }

private:
  /// by last wait of a bucket
  llvm::DenseMap<uint32_t, std::vector<uint32_t>> held_;
};

} // namespace ccgraph::overlap
