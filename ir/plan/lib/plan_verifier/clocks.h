// Clocks: the steps that have certainly ended when a step begins.
//
// For each stream the last such step is known, so a clock is one number a stream: 0 for none, else 1 + the step. A step
// begins after three kinds of steps have ended: the previous step on its stream, the last earlier step of the host, and
// the recorders of all events that it waits for. Every step in their clocks has ended too.
//
// Ownership: refers to the plan. Failure: none; the plan's structure must be valid. Cost: the number of streams for
// each wait.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::plan_verifier {

class Clocks {
public:
  using Clock = std::vector<uint32_t>;

  explicit Clocks(const Plan &plan);

  /// Returns a copy of the state of `other` before its next step; `other` must outlive it.
  [[nodiscard]] static Clocks fork(const Clocks &other);

  /// Must be called for each step, in list order, before the queries about it, and end() after. `leftOut`: an event for
  /// which the step is assumed not to wait.
  void begin(size_t step, std::optional<EventId> leftOut = std::nullopt);
  /// Returns true if the other, earlier step has ended when the current step begins.
  [[nodiscard]] bool hasEnded(size_t earlier) const { return knows(known_, earlier); }
  [[nodiscard]] bool knows(const Clock &clock, size_t step) const { return clock[plan_.steps[step].stream] > step; }
  /// Calls `visit` for each wait of the current step, with the clock that the step would have without that one wait.
  void forEachWait(llvm::function_ref<void(EventId, const Clock &without)> visit) const;
  void end();
  /// Returns the step that records the event.
  [[nodiscard]] size_t recorderOf(EventId event) const { return recorders_.lookup(event); }

private:
  static void join(Clock &clock, const Clock &other);
  [[nodiscard]] const Clock &clockOf(EventId event) const;

  const Plan &plan_;
  const Clocks *before_ = nullptr; ///< the state from which this one continues
  size_t step_ = 0;
  Clock own_;                  ///< clock of the current step from its stream and the host alone
  Clock known_;                ///< the same with its waits
  std::vector<Clock> streams_; ///< after the last step of each
  llvm::DenseMap<EventId, Clock> events_;
  llvm::DenseMap<EventId, size_t> recorders_;
};

} // namespace ccgraph::plan_verifier
