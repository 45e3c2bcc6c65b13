#include "engine/rank_pace.h"

namespace ccgraph::runtime {
namespace {

constexpr int64_t picoseconds = 1000;

/// The machine's own time.
class MachineClock final : public PaceClock {
public:
  [[nodiscard]] std::chrono::nanoseconds now() override { return Steady::now() - begin_; }

private:
  using Steady = std::chrono::steady_clock;
  Steady::time_point begin_ = Steady::now();
};

} // namespace

void RankPace::begin() {
  host_ = 0;
  issued_.assign(plan_->steps.size(), 0);
  ends_.assign(plan_->steps.size(), 0);
  free_.assign(plan_->streams.size(), 0);
  recorded_.assign(plan_->numEvents, 0);
  clock_ = makeClock_ ? makeClock_() : std::make_unique<MachineClock>();
}

int64_t RankPace::readyAt(size_t step) const {
  const PlanStep &work = plan_->steps[step];
  int64_t ready = std::max(issued_[step], free_[work.stream]);
  for (EventId event : work.waits)
    ready = std::max(ready, recorded_[event]);
  return ready;
}

std::chrono::nanoseconds RankPace::momentOf(int64_t time) {
  return std::chrono::nanoseconds((time + picoseconds - 1) / picoseconds);
}

bool RankPace::hasPassed(size_t step) const { return clock_->now() >= momentOf(ends_[step]); }

void RankPace::end(size_t step) {
  const PlanStep &work = plan_->steps[step];
  free_[work.stream] = ends_[step];
  if (work.event)
    recorded_[*work.event] = ends_[step];
  if (work.stream == Plan::hostStream)
    host_ = ends_[step];
}

std::chrono::nanoseconds RankPace::idleUntilEnd(size_t step) const {
  std::chrono::nanoseconds end = momentOf(ends_[step]);
  clock_->idleUntil(end);
  return std::max(end - clock_->now(), std::chrono::nanoseconds(0));
}

} // namespace ccgraph::runtime
