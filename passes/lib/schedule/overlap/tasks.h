// Tasks: the steps of a problem that take time or memory, with the waits and views between them folded
// into edges.
//
//   a = mm(x)   c = all_gather(a)   w = wait(c)   v = view(w)   b = mm(v)
//
// has the tasks a, c and b: c needs a, and b needs c *landed*, because a wait lies between them. The
// scheduler moves tasks; waits and views go where the tasks that need them go (issuer.h).
//
// A wait or view with very many sources is a task of its own.
//
// Ownership: refers to the problem. Fails never. Cost: linear in steps and edges.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

class Tasks {
public:
  explicit Tasks(const Problem &problem);

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(stepOf_.size()); }
  [[nodiscard]] uint32_t stepOf(uint32_t task) const { return stepOf_[task]; }
  /// None for a step that is folded.
  [[nodiscard]] uint32_t taskOf(uint32_t step) const { return taskOf_[step]; }
  [[nodiscard]] const Step &step(uint32_t task) const { return problem_.steps[stepOf_[task]]; }
  [[nodiscard]] bool launches(uint32_t task) const { return step(task).kind == StepKind::Launch; }

  /// Tasks that it needs, launches that must have landed among them.
  [[nodiscard]] llvm::ArrayRef<uint32_t> before(uint32_t task) const { return before_[task]; }
  [[nodiscard]] llvm::ArrayRef<uint32_t> after(uint32_t task) const { return after_[task]; }
  /// Of those that it needs: the launches that must have landed.
  [[nodiscard]] llvm::ArrayRef<uint32_t> landed(uint32_t task) const { return landed_[task]; }

  /// Bytes that it is the first to hold.
  [[nodiscard]] int64_t allocates(uint32_t task) const { return allocates_[task]; }
  /// Computation that stands before it in program order; of size(): all of it. Picoseconds.
  [[nodiscard]] int64_t computeBefore(uint32_t task) const { return computeBefore_[task]; }
  /// The first task in program order that cannot do without it: what lies aside, and what only feeds a
  /// transfer that nobody needs before, does not count. At most the last task.
  [[nodiscard]] uint32_t neededBy(uint32_t task) const { return neededBy_[task]; }
  /// Cheap computation on inputs of the program alone (the cast of a sharded parameter).
  [[nodiscard]] bool leaf(uint32_t task) const { return leaf_[task]; }
  /// A launch that reads leaves and inputs alone: it may go at any time.
  [[nodiscard]] bool prefetchable(uint32_t task) const { return prefetchable_[task]; }
  /// A leaf that is there for launches that may go at any time: it goes with them.
  [[nodiscard]] bool feedsPrefetch(uint32_t task) const { return feedsPrefetch_[task]; }
  /// Leaves that take time and go with no launch, in program order.
  [[nodiscard]] llvm::ArrayRef<uint32_t> otherLeaves() const { return otherLeaves_; }

  /// Of steps, folded ones too: those that need this one.
  [[nodiscard]] llvm::ArrayRef<uint32_t> followers(uint32_t step) const { return followers_[step]; }
  /// Of the step of a launch: the waits that land it.
  [[nodiscard]] llvm::ArrayRef<uint32_t> waitsOf(uint32_t step) const { return waitsOf_[step]; }

private:
  void fold();
  void measure();
  void findNeeds();
  void findLeaves();

  const Problem &problem_;
  std::vector<uint32_t> stepOf_, taskOf_;
  Rows before_, after_, landed_;
  /// by step
  Rows followers_, waitsOf_;
  std::vector<int64_t> allocates_, computeBefore_;
  std::vector<uint32_t> neededBy_;
  std::vector<bool> leaf_, prefetchable_, feedsPrefetch_;
  std::vector<uint32_t> otherLeaves_;
};

} // namespace ccgraph::overlap
