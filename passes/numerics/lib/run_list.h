// RunList: the elements of a value in order, as runs of elements of terms.
//
// A term (terms.h) is one computation that is done for many elements: element i of the term `x + y` is made of element
// i of x and of element i + shift of y. A run is a stretch of consecutive elements of one term, or one element
// repeated. So a buffer of a thousand gradients is a thousand runs, however large the gradients are.
//
// Neighbouring runs that continue each other are joined. Where an element repeats and is then continued, two lists of
// equal elements may have different runs; sameElements() compares the elements.
//
// Ownership: values. Failure: none; a slice lies within the list. Cost: push O(1), slice O(log runs + its own runs).
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace ccgraph::numerics {

using TermId = uint32_t;

struct Run {
  TermId term = 0;
  /// index of its first element in the term
  int64_t start = 0;
  int64_t length = 0;
  /// the element `start` again and again
  bool repeats = false;
  friend bool operator==(const Run &, const Run &) = default;
  /// Returns the part from `offset` on.
  [[nodiscard]] Run part(int64_t offset, int64_t count) const {
    return {term, repeats ? start : start + offset, count, repeats};
  }
};

class RunList {
public:
  RunList() = default;
  /*implicit*/ RunList(const Run &run) { push(run); }

  void push(Run run);
  void append(const RunList &other);
  [[nodiscard]] int64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  [[nodiscard]] llvm::ArrayRef<Run> runs() const { return runs_; }
  [[nodiscard]] RunList slice(int64_t start, int64_t length) const;
  /// Appends that slice to `to`.
  void copyTo(RunList &to, int64_t start, int64_t length) const;
  /// Replaces the elements from `start` on.
  void replace(int64_t start, const RunList &by);
  /// Returns the run and the index in its term of one element.
  [[nodiscard]] std::pair<TermId, int64_t> at(int64_t index) const;
  friend bool operator==(const RunList &a, const RunList &b) { return a.runs_ == b.runs_; }

private:
  [[nodiscard]] size_t runAt(int64_t index) const;
  std::vector<Run> runs_;
  /// by run: the number of elements up to its end
  std::vector<int64_t> ends_;
};

/// Returns whether both have the same elements in the same order.
[[nodiscard]] bool sameElements(const RunList &a, const RunList &b);

} // namespace ccgraph::numerics
