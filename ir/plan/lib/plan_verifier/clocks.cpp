#include "plan_verifier/clocks.h"

#include <algorithm>

namespace ccgraph::plan_verifier {

Clocks::Clocks(const Plan &plan) : plan_(plan), streams_(plan.streams.size(), Clock(plan.streams.size())) {}

Clocks Clocks::fork(const Clocks &other) {
  Clocks fork(other.plan_);
  fork.before_ = &other;
  fork.streams_ = other.streams_;
  return fork;
}

const Clocks::Clock &Clocks::clockOf(EventId event) const {
  auto found = events_.find(event);
  return found == events_.end() ? before_->clockOf(event) : found->second;
}

void Clocks::join(Clock &clock, const Clock &other) {
  for (size_t i = 0; i < clock.size(); ++i)
    clock[i] = std::max(clock[i], other[i]);
}

void Clocks::begin(size_t step, std::optional<EventId> leftOut) {
  step_ = step;
  own_ = streams_[plan_.steps[step].stream];
  join(own_, streams_[Plan::hostStream]);
  known_ = own_;
  for (EventId event : plan_.steps[step].waits)
    if (event != leftOut)
      join(known_, clockOf(event));
}

void Clocks::forEachWait(llvm::function_ref<void(EventId, const Clock &without)> visit) const {
  llvm::ArrayRef<EventId> waits = plan_.steps[step_].waits;
  // A step may have many waits, so the clocks of the waits after each position are joined once, from the back.
  std::vector<Clock> behind(waits.size() + 1, Clock(own_.size()));
  for (size_t i = waits.size(); i > 0; --i) {
    behind[i - 1] = behind[i];
    join(behind[i - 1], clockOf(waits[i - 1]));
  }
  Clock before = own_;
  for (size_t i = 0; i < waits.size(); ++i) {
    Clock without = before;
    join(without, behind[i + 1]);
    visit(waits[i], without);
    join(before, clockOf(waits[i]));
  }
}

void Clocks::end() {
  const PlanStep &step = plan_.steps[step_];
  known_[step.stream] = static_cast<uint32_t>(step_) + 1;
  streams_[step.stream] = known_;
  if (!step.event)
    return;
  events_[*step.event] = known_;
  recorders_[*step.event] = step_;
}

} // namespace ccgraph::plan_verifier
