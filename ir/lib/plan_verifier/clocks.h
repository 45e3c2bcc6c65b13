// Clocks: which steps have surely ended when a step begins.
//
// Of each stream the last such step is known, so a clock is one number a stream: 0 for none, else 1 + the step. A step
// begins when the step before it on its stream, the last step of the host before it in the list, and the recorders of all
// events that it waits for have ended; and whatever each of these knew at its own beginning has ended too.
//
// Ownership: refers to the plan. Failure: none; the plan's structure must hold. Cost: the number of streams for each wait.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::plan_verifier {

class Clocks {
public:
  using Clock = std::vector<uint32_t>;

  explicit Clocks(const Plan &plan);

  /// Goes on from where `other` stands, before its next step, and forgets nothing of it; `other` must outlive this.
  [[nodiscard]] static Clocks fork(const Clocks &other);

  /// To be called for each step, in the order of the list, before the questions about it, and end() after. `leftOut`: an
  /// event that it does not wait for after all.
  void begin(size_t step, std::optional<EventId> leftOut = std::nullopt);
  /// Of the step that has begun: has the other, earlier one ended?
  [[nodiscard]] bool hasEnded(size_t earlier) const { return knows(known_, earlier); }
  [[nodiscard]] bool knows(const Clock &clock, size_t step) const { return clock[plan_.steps[step].stream] > step; }
  /// Calls `visit` for each wait of the step that has begun, with what would be known without that one wait.
  void forEachWait(llvm::function_ref<void(EventId, const Clock &without)> visit) const;
  void end();
  /// The step that records the event.
  [[nodiscard]] size_t recorderOf(EventId event) const { return recorders_.lookup(event); }

private:
  static void join(Clock &clock, const Clock &other);
  [[nodiscard]] const Clock &clockOf(EventId event) const;

  const Plan &plan_;
  const Clocks *before_ = nullptr; ///< which this one goes on from
  size_t step_ = 0;
  Clock own_;                  ///< what the step that has begun knows by its stream and the host alone
  Clock known_;                ///< and with its waits
  std::vector<Clock> streams_; ///< after the last step of each
  llvm::DenseMap<EventId, Clock> events_;
  llvm::DenseMap<EventId, size_t> recorders_;
};

} // namespace ccgraph::plan_verifier
