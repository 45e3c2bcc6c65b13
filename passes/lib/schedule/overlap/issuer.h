// Issuer: records an order of steps, and tracks the live bytes after each of them.
//
// The trial schedule chooses the next task; the issuer adds the waits and views that the task needs. A view without an
// immediate reader keeps its position: it is issued when the schedule has reached that position and all its operands
// are issued. So steps that need not move stay where they are.
//
// Ownership: refers to the problem. Failure: asserts that the operands of a step are issued before it.
// Cost: O(1) a step, edge and holder in total.
#pragma once

#include "schedule/overlap/tasks.h"

#include "llvm/ADT/BitVector.h"

#include <queue>

namespace ccgraph::overlap {

class Issuer {
public:
  Issuer(const Problem &problem, const Tasks &tasks);

  /// Records that the schedule has reached this step of the program order: earlier views follow as soon as they can.
  void reach(uint32_t step);
  /// Issues the step next, and the views that can follow.
  void issue(uint32_t step);
  /// Issues all inputs of the program, and then the steps that can follow.
  void issueInputs();
  [[nodiscard]] bool issued(uint32_t step) const { return issued_.test(step); }
  /// Returns true if all steps that it needs are issued.
  [[nodiscard]] bool ready(uint32_t step) const { return missing_[step] == 0; }
  /// Returns the waits and views that the step needs and that are not issued, in a valid order. The list is valid up to
  /// the next call.
  [[nodiscard]] llvm::ArrayRef<uint32_t> between(uint32_t step);

  [[nodiscard]] int64_t bytes() const { return bytes_; }
  [[nodiscard]] int64_t peak() const { return peak_; }
  /// Returns the maximum since the last call.
  [[nodiscard]] int64_t takeRecentPeak();
  [[nodiscard]] std::vector<uint32_t> takeOrder() { return std::move(order_); }

private:
  void put(uint32_t step);
  void follow();

  const Problem &problem_;
  const Tasks &tasks_;
  llvm::BitVector issued_;
  std::vector<uint32_t> missing_;
  /// by storage: holders that are not yet issued
  std::vector<uint32_t> holders_;
  llvm::BitVector alive_;
  /// views whose operands are all issued, the first in program order on top
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> following_;
  uint32_t reached_ = 0;
  std::vector<uint32_t> order_;
  /// by step: the query in which it was found
  std::vector<uint32_t> found_;
  uint32_t question_ = 0;
  /// of the last query: its result, and the steps whose operands are not examined yet
  std::vector<uint32_t> between_, open_;
  int64_t bytes_ = 0;
  int64_t peak_ = 0;
  int64_t recentPeak_ = 0;
};

} // namespace ccgraph::overlap
