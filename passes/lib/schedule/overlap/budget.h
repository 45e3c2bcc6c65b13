// Budget: a memory budget of one step of the search, which notes what the result of the step depends on.
//
// Many memory limits of a search give the same schedule, because nothing that is decided comes near the limit. A step
// that asks its budget whether bytes fit, and depends on the budget in no other way, therefore also knows the other
// budgets with the same answers: from the largest number of bytes that fitted, up to the smallest that did not. Its
// result is the same for each of them.
//
// Ownership: a budget refers to the range that it narrows. Failure: none. Cost: constant.
#pragma once

#include "schedule/overlap/problem.h"

#include <algorithm>
#include <limits>

namespace ccgraph::overlap {

/// Budgets in bytes, from `least` up to but without `end`.
struct BudgetRange {
  int64_t least = std::numeric_limits<int64_t>::min();
  int64_t end = std::numeric_limits<int64_t>::max();
  [[nodiscard]] bool contains(int64_t budget) const { return least <= budget && budget < end; }
  /// Returns whether a budget of the range has room for so many bytes; the budgets with another answer leave the range.
  [[nodiscard]] bool narrowByRoom(int64_t budget, int64_t bytes) {
    const bool fits = bytes <= budget;
    (fits ? least : end) = fits ? std::max(least, bytes) : std::min(end, bytes);
    return fits;
  }
};

class Budget {
public:
  /// The range, if any, has no more than the budgets for which everything asked has the same answer.
  Budget(int64_t bytes, BudgetRange *same = nullptr) : bytes_(bytes), same_(same) {} // NOLINT: a number is a budget
  [[nodiscard]] int64_t bytes() const { return bytes_; }
  [[nodiscard]] bool fits(int64_t bytes) const { return same_ ? same_->narrowByRoom(bytes_, bytes) : bytes <= bytes_; }
  /// Returns the budget, or one of so many bytes if that is more.
  [[nodiscard]] Budget atLeast(int64_t bytes) const { return fits(bytes) ? *this : Budget(bytes); }

private:
  int64_t bytes_;
  BudgetRange *same_;
};

} // namespace ccgraph::overlap
