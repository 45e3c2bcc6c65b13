// SlowJudge finds defects of a plan by exhaustive comparison: all pairs of steps, all earlier writes for each read.
//
// It is the oracle for the trials of the plan verifier, and shares only ir with it. A closure over bits computes which
// steps have completed before another begins; a wait is redundant if the closure without it leaves no further pair
// unordered. It covers the rules that edits of sound plans can break, but not broken indices.
//
// Ownership: refers to the plan. Waits may change after construction, but steps and memory may not. Failure: none.
// Cost: quadratic in the steps, and that for each wait.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/ADT/BitVector.h"

namespace ccgraph::test {

/// The bytes of one address space that a step accesses. Spaces: "compute", "communication", "buffer 3", "slots",
/// "unseen".
struct SlowAccess {
  std::string space;
  int64_t begin = 0;
  int64_t end = 0;
  bool reads = false;
  bool writes = false;
  /// -1 for an access that no window shows
  int64_t buffer = -1;
};

class SlowJudge {
public:
  explicit SlowJudge(const Plan &plan);
  /// Returns the kind of the first defect; empty for a sound plan.
  [[nodiscard]] std::string verdict() const;
  /// Returns the pairs of steps that access common bytes, of which one writes; the earlier step first.
  [[nodiscard]] const std::vector<std::pair<size_t, size_t>> &conflicts() const { return conflicts_; }
  /// Returns for each step the steps that have completed when it begins. If `without` is given, this wait is ignored.
  [[nodiscard]] std::vector<llvm::BitVector> endedBefore(std::optional<std::pair<size_t, EventId>> without = {}) const;

private:
  [[nodiscard]] bool eventsAreSound() const;
  [[nodiscard]] bool streamsFit() const;
  [[nodiscard]] bool memoryFits() const;
  [[nodiscard]] bool inputsFit() const;
  [[nodiscard]] bool takesAPlace(const PlanStep &step) const;
  [[nodiscard]] bool stepsAreApart() const;
  [[nodiscard]] bool flagsFit() const;
  [[nodiscard]] bool resultsAreInPlace() const;
  [[nodiscard]] bool countsFit() const;
  [[nodiscard]] bool allIsOrdered() const;
  [[nodiscard]] bool contentIsThere() const;
  [[nodiscard]] bool holds(const SlowAccess &read, size_t before) const;
  [[nodiscard]] bool noWaitIsIdle() const;
  [[nodiscard]] SlowAccess accessOf(const PlanAccess &access) const;
  [[nodiscard]] std::vector<SlowAccess> accessesOf(const PlanStep &step) const;
  [[nodiscard]] std::optional<int64_t> valueOf(const Dim &dim) const;

  const Plan &plan_;
  std::vector<std::vector<SlowAccess>> accesses_; ///< by step
  std::vector<std::pair<size_t, size_t>> conflicts_;
};

/// Returns SlowJudge(plan).verdict().
[[nodiscard]] std::string slowVerdict(const Plan &plan);

} // namespace ccgraph::test
