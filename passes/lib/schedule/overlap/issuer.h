// Issuer: writes down an order of steps, and knows what is alive after each of them.
//
// The walk says which task comes next; the issuer knows the waits and views that it needs before it. A
// view that nobody needs yet comes where the program has it: when the walk has come to that place, and
// all that it reads stands. So what need not move does not.
//
// Ownership: refers to the problem. Failure: asserts that what a step needs stands before it.
// Cost: O(1) a step, edge and holder, over all.
#pragma once

#include "schedule/overlap/tasks.h"

#include <queue>

namespace ccgraph::overlap {

class Issuer {
public:
  Issuer(const Problem &problem, const Tasks &tasks);

  /// The walk has come to this step of the program order: views above it follow as soon as they can.
  void reach(uint32_t step);
  /// Puts the step next, and the views that can follow.
  void issue(uint32_t step);
  /// All inputs of the program, and then what can follow.
  void issueInputs();
  [[nodiscard]] bool issued(uint32_t step) const { return issued_[step]; }
  /// All that it needs stands.
  [[nodiscard]] bool ready(uint32_t step) const { return missing_[step] == 0; }
  /// The waits and views that stand between what is issued and this step, in an order in which they can be issued.
  [[nodiscard]] std::vector<uint32_t> between(uint32_t step);

  [[nodiscard]] int64_t bytes() const { return bytes_; }
  [[nodiscard]] int64_t peak() const { return peak_; }
  /// The largest since it was asked for last.
  [[nodiscard]] int64_t takeRecentPeak();
  [[nodiscard]] std::vector<uint32_t> takeOrder() { return std::move(order_); }

private:
  void put(uint32_t step);
  void follow();

  const Problem &problem_;
  const Tasks &tasks_;
  std::vector<bool> issued_;
  std::vector<uint32_t> missing_;
  /// by storage: holders that were not issued yet
  std::vector<uint32_t> holders_;
  std::vector<bool> alive_;
  /// views all of whose sources stand, the first in program order on top
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> following_;
  uint32_t reached_ = 0;
  std::vector<uint32_t> order_;
  /// by step: the question in which it was found
  std::vector<uint32_t> found_;
  uint32_t question_ = 0;
  int64_t bytes_ = 0;
  int64_t peak_ = 0;
  int64_t recentPeak_ = 0;
};

} // namespace ccgraph::overlap
