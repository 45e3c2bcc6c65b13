// SlowJudge: what is wrong with a plan, found the plain way: all pairs of steps, all earlier writes for each read.
//
// It is the oracle for the plan verifier's trials, and shares nothing with it but ir. Which step has ended before another
// begins is a closure over bits; a wait is idle if the closure without it leaves no further pair apart. It knows the rules
// that can be broken by edits of sound plans, and not those of broken indices.
//
// Ownership: refers to the plan. Waits may change after the judge is made, steps and memory not. Failure: none. Cost: quadratic in the steps, and that
// for each wait.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/ADT/BitVector.h"

namespace ccgraph::test {

/// Bytes of one address space that a step touches. Spaces: "compute", "communication", "buffer 3", "slots", "unseen".
struct SlowAccess {
  std::string space;
  int64_t begin = 0;
  int64_t end = 0;
  bool reads = false;
  bool writes = false;
  /// -1 for what no window shows
  int64_t buffer = -1;
};

class SlowJudge {
public:
  explicit SlowJudge(const Plan &plan);
  /// The first thing that is wrong, by the name of its kind; empty for a sound plan.
  [[nodiscard]] std::string verdict() const;
  /// Pairs of steps that touch common bytes, one of them writing; earlier one first.
  [[nodiscard]] const std::vector<std::pair<size_t, size_t>> &conflicts() const { return conflicts_; }
  /// For each step those that have ended when it begins. Without one wait of a step, if asked for.
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

/// SlowJudge(plan).verdict().
[[nodiscard]] std::string slowVerdict(const Plan &plan);

} // namespace ccgraph::test
