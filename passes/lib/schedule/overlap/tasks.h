// Tasks: the steps of a problem that take time or memory; the waits and views between them are folded into edges.
//
//   a = mm(x)   c = all_gather(a)   w = wait(c)   v = view(w)   b = mm(v)
//
// has the tasks a, c and b: c needs a, and b needs c to be *complete*, because a wait lies between them. The scheduler
// moves tasks; waits and views follow the tasks that need them (issuer.h).
//
// A wait or view with very many sources is a task of its own.
//
// Ownership: refers to the problem. Failure: none. Cost: linear in steps and edges.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

class Tasks {
public:
  explicit Tasks(const Problem &problem);

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(stepOf_.size()); }
  [[nodiscard]] uint32_t stepOf(uint32_t task) const { return stepOf_[task]; }
  /// Returns none for a folded step.
  [[nodiscard]] uint32_t taskOf(uint32_t step) const { return taskOf_[step]; }
  [[nodiscard]] const Step &step(uint32_t task) const { return problem_.steps[stepOf_[task]]; }
  [[nodiscard]] bool launches(uint32_t task) const { return step(task).kind == StepKind::Launch; }

  /// Returns the tasks that it needs, including launches that must be complete.
  [[nodiscard]] llvm::ArrayRef<uint32_t> before(uint32_t task) const { return before_[task]; }
  [[nodiscard]] llvm::ArrayRef<uint32_t> after(uint32_t task) const { return after_[task]; }
  /// Returns, of those that it needs, the launches that must be complete.
  [[nodiscard]] llvm::ArrayRef<uint32_t> completed(uint32_t task) const { return completed_[task]; }

  /// Returns the bytes that it is the first to hold.
  [[nodiscard]] int64_t allocates(uint32_t task) const { return allocates_[task]; }
  /// Returns the picoseconds of computation before it in program order; for size(), all computation.
  [[nodiscard]] int64_t computeBefore(uint32_t task) const { return computeBefore_[task]; }
  /// Returns the first task in program order that depends on it urgently, at most the last task. Deferrable tasks do
  /// not count, nor does a task that only feeds a collective which no step needs before.
  [[nodiscard]] uint32_t neededBy(uint32_t task) const { return neededBy_[task]; }
  /// Returns true for cheap computation on inputs of the program only (the cast of a sharded parameter).
  [[nodiscard]] bool leaf(uint32_t task) const { return leaf_[task]; }
  /// Returns true for a launch that may be issued long before a step needs its result. Its sources are leaves and
  /// inputs, or they are done long before its place in program order (a gather that the backward pass repeats).
  [[nodiscard]] bool prefetchable(uint32_t task) const { return prefetchable_[task]; }
  /// Returns true for a leaf whose readers are launches that may be issued at any time: it is issued with them.
  [[nodiscard]] bool feedsPrefetch(uint32_t task) const { return feedsPrefetch_[task]; }
  /// Returns the leaves that take time and belong to no launch, in program order.
  [[nodiscard]] llvm::ArrayRef<uint32_t> otherLeaves() const { return otherLeaves_; }

  /// Returns the steps, folded ones too, that need this step.
  [[nodiscard]] llvm::ArrayRef<uint32_t> followers(uint32_t step) const { return followers_[step]; }
  /// Returns, for the step of a launch, the waits that complete it.
  [[nodiscard]] llvm::ArrayRef<uint32_t> waitsOf(uint32_t step) const { return waitsOf_[step]; }

private:
  void fold();
  void measure();
  void findNeeds();
  void findLeaves();
  [[nodiscard]] bool isLate(uint32_t task) const;

  const Problem &problem_;
  std::vector<uint32_t> stepOf_, taskOf_;
  NumberLists before_, after_, completed_;
  /// by step
  NumberLists followers_, waitsOf_;
  std::vector<int64_t> allocates_, computeBefore_;
  std::vector<uint32_t> neededBy_;
  std::vector<bool> late_, leaf_, prefetchable_, feedsPrefetch_;
  std::vector<uint32_t> otherLeaves_;
};

} // namespace ccgraph::overlap
