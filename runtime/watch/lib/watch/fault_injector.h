// FaultInjector: the faults of one rank, injected at their places.
//
// Ownership: keeps modified launches until the next run. Failure: none; faults were checked (checkFault). One thread at
// a time. Cost: a look at the rank's faults for each step.
#pragma once

#include "ccgraph/runtime/fault.h"
#include "collectives/launch.h"
#include "watch/watch.h"

#include <deque>

namespace ccgraph::runtime {

/// The unit that a fault ends or stops: a thread of this process, or the process.
enum class RankBody : uint8_t { Thread, Process };

/// The next step after `step` with a collective on the same ranks; none for transfers.
[[nodiscard]] std::optional<size_t> nextOnSameRanks(const Plan &plan, size_t step, int64_t rank);

class FaultInjector {
public:
  /// Selects the faults of `rank`.
  FaultInjector(llvm::ArrayRef<Fault> faults, int64_t rank, RankBody body);

  /// The plan's steps in the order in which this rank has them.
  [[nodiscard]] std::vector<size_t> order(const Plan &plan) const;
  /// The rank launches nothing at this step.
  [[nodiscard]] bool skips(size_t step) const { return find(FaultKind::Skip, step) != nullptr; }
  /// Returns the launch that the rank makes in place of `launch`; valid until begin().
  [[nodiscard]] const Launch &launched(size_t step, const Launch &launch);
  [[nodiscard]] bool any() const { return !faults_.empty(); }
  /// A run begins.
  void begin() { spoilt_.clear(); }
  /// Called before the step begins. Returns late, never (then it returns when the run is over), or immediately. False:
  /// the rank is dead.
  [[nodiscard]] bool letBegin(size_t step, Standby &standby) const;

private:
  [[nodiscard]] const Fault *find(FaultKind kind, size_t step) const;

  std::vector<Fault> faults_;
  int64_t rank_;
  RankBody body_;
  std::deque<Launch> spoilt_;
};

} // namespace ccgraph::runtime
