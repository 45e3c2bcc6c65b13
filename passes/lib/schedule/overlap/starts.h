// Starts: the orders from which a search begins, and what trial schedules need of each.
//
// They are the program's own order and, if it differs, the order with the lowest memory peak (low_memory_order.h). They
// do not depend on a memory limit, so a search under several limits computes them once.
//
// Ownership: refers to the problem. Failure: none. Cost: that of lowMemoryOrder() and of two trial schedules.
#pragma once

#include "schedule/overlap/tasks.h"
#include "schedule/overlap/walk.h"

#include <memory>

namespace ccgraph::overlap {

/// An order from which trial schedules start, as a problem whose steps are numbered in that order.
struct Base {
  /// The order of the program itself, which needs no copy.
  explicit Base(const Problem &standing);
  Base(const Problem &from, std::vector<uint32_t> byNumber);
  /// Returns a trial schedule from this order, in steps of the program.
  [[nodiscard]] Trial walkWith(const Policy &policy) const;

  /// by step of this problem: the step of the program
  std::vector<uint32_t> order;
  /// none if the problem is the program's
  std::unique_ptr<Problem> own;
  const Problem &problem;
  Tasks tasks;
  LateCurve late;
};

class Starts {
public:
  explicit Starts(const Problem &problem);
  [[nodiscard]] const std::vector<std::unique_ptr<Base>> &bases() const { return bases_; }
  /// Returns the orders themselves, with time and peak; the program's order first.
  [[nodiscard]] llvm::ArrayRef<Schedule> schedules() const { return schedules_; }
  /// Returns the picoseconds of computation in the program.
  [[nodiscard]] int64_t compute() const { return compute_; }
  /// Returns the minimum bytes of any order.
  [[nodiscard]] int64_t floor() const { return floor_; }
  /// Returns the lowest known peak, in bytes.
  [[nodiscard]] int64_t leastPeak() const { return leastPeak_; }
  /// Returns the bytes of a bucket above which a larger one is hardly better.
  [[nodiscard]] int64_t largeBucket() const { return largeBucket_; }
  /// Frees the memory of the bases. No trial schedule may follow.
  void releaseBases() { bases_.clear(); }

private:
  std::vector<std::unique_ptr<Base>> bases_;
  std::vector<Schedule> schedules_;
  int64_t compute_ = 0;
  int64_t floor_ = 0;
  int64_t leastPeak_ = 0;
  int64_t largeBucket_ = 0;
};

} // namespace ccgraph::overlap
