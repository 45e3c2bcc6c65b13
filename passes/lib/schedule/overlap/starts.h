// Starts: the orders from which a search begins, and what walks need to know of each.
//
// The program in its own order is one, and the order that needs least memory (frugal_order.h) is another where the two
// differ. They depend on no memory limit, so a search under several limits makes them once.
//
// Ownership: refers to the problem. Failure: none. Cost: that of lowMemoryOrder() and of two walks.
#pragma once

#include "schedule/overlap/tasks.h"
#include "schedule/overlap/walk.h"

#include <memory>

namespace ccgraph::overlap {

/// An order that walks start from, as a problem whose steps have their numbers in it.
struct Base {
  /// The order of the program itself, which needs no copy.
  explicit Base(const Problem &standing);
  Base(const Problem &from, std::vector<uint32_t> byNumber);
  /// A walk over this order, as a schedule of the program.
  [[nodiscard]] Schedule walkWith(const Policy &policy) const;

  /// by step of the problem here: that of the program
  std::vector<uint32_t> order;
  /// none where the problem is the program's
  std::unique_ptr<Problem> own;
  const Problem &problem;
  Tasks tasks;
  LateCurve late;
};

class Starts {
public:
  explicit Starts(const Problem &problem);
  [[nodiscard]] const std::vector<std::unique_ptr<Base>> &bases() const { return bases_; }
  /// The orders themselves, with time and peak; that of the program first.
  [[nodiscard]] llvm::ArrayRef<Schedule> schedules() const { return schedules_; }
  /// Picoseconds of computation in the program.
  [[nodiscard]] int64_t compute() const { return compute_; }
  /// Bytes that every order needs.
  [[nodiscard]] int64_t floor() const { return floor_; }
  /// Bytes at the peak of the order that needs least of those known.
  [[nodiscard]] int64_t leastPeak() const { return leastPeak_; }
  /// Bytes of a bucket than which a larger one is hardly better.
  [[nodiscard]] int64_t largeBucket() const { return largeBucket_; }
  /// Gives the memory of the bases back. No walk follows.
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
