#include "schedule/overlap/stream_clock.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace ccgraph::overlap {

void PerfectClock::start(uint32_t launch, int64_t picoseconds) {
  int64_t &free = free_[problem_.steps[launch].stream];
  int64_t begin = std::max(now_, free);
  free = begin + picoseconds;
  times_[launch] = {begin, free};
}

int64_t PerfectClock::idleUntil(uint32_t launch) {
  int64_t idle = std::max<int64_t>(0, times_[launch].end - now_);
  now_ += idle;
  return idle;
}

namespace {

constexpr int64_t whole = 1'000'000;

/// value * factor / divisor, rounded down, where value alone times factor may be more than 64 bits hold.
int64_t scaled(int64_t value, int64_t factor, int64_t divisor) {
  return value / divisor * factor + value % divisor * factor / divisor;
}

} // namespace

CrowdedClock::CrowdedClock(const Problem &problem)
    : problem_(problem), queues_(problem.streams), times_(problem.steps.size()), ended_(problem.steps.size()) {
  const std::vector<uint32_t> &shared = problem.crowding.linkOf;
  size_t links = 0;
  for (uint32_t link : shared)
    links = link == none ? links : std::max<size_t>(links, link + 1);
  for (uint32_t stream = 0; stream < problem.streams; ++stream)
    linkOf_.push_back(shared.empty() || shared[stream] == none ? links++ : shared[stream]);
  crowds_.resize(links);
}

int64_t CrowdedClock::untilNextEvent() {
  int64_t next = unlimited;
  for (uint32_t stream : running_) {
    const Transfer &first = queues_[stream].front();
    next = std::min(next, first.latency > 0 ? first.latency : first.work * crowdOn(stream));
  }
  return next;
}

/// To the next event at the most.
void CrowdedClock::advance(int64_t picoseconds) {
  now_ += picoseconds;
  llvm::SmallVector<uint32_t, 8> arrived, ended;
  for (uint32_t stream : running_) {
    Transfer &first = queues_[stream].front();
    if (first.latency > 0) {
      first.latency -= picoseconds;
      if (first.latency == 0)
        (first.work > 0 ? arrived : ended).push_back(stream);
    } else {
      first.work -= picoseconds / crowdOn(stream);
      if (first.work == 0)
        ended.push_back(stream);
    }
  }
  for (uint32_t stream : ended) {
    endFirst(stream);
    beginFirst(stream);
  }
  for (uint32_t stream : arrived)
    enterLink(stream);
}

void CrowdedClock::enterLink(uint32_t stream) {
  ++crowdOn(stream);
  queues_[stream].front().onLink = true;
}

void CrowdedClock::endFirst(uint32_t stream) {
  Transfer &first = queues_[stream].front();
  if (first.onLink)
    --crowdOn(stream);
  times_[first.launch].end = now_;
  ended_[first.launch] = true;
  queues_[stream].pop_front();
}

void CrowdedClock::beginFirst(uint32_t stream) {
  while (!queues_[stream].empty()) {
    Transfer &first = queues_[stream].front();
    times_[first.launch].begin = now_;
    if (first.latency > 0)
      return;
    if (first.work > 0)
      return enterLink(stream);
    endFirst(stream);
  }
  llvm::erase_value(running_, stream);
}

void CrowdedClock::start(uint32_t launch, int64_t picoseconds) {
  const Step &step = problem_.steps[launch];
  int64_t latency = std::min(step.latency, picoseconds);
  queues_[step.stream].push_back({launch, latency, picoseconds - latency, false});
  if (queues_[step.stream].size() > 1)
    return;
  running_.push_back(step.stream);
  beginFirst(step.stream);
}

/// What is left after each event has what is left of it slowed anew.
void CrowdedClock::compute(int64_t picoseconds) {
  const int64_t slowed = whole + problem_.crowding.slowdownPpm;
  while (picoseconds > 0) {
    if (running_.empty()) {
      now_ += picoseconds;
      return;
    }
    int64_t needs = scaled(picoseconds, slowed, whole), runs = std::min(needs, untilNextEvent());
    advance(runs);
    picoseconds = runs == needs ? 0 : picoseconds - scaled(runs, whole, slowed);
  }
}

int64_t CrowdedClock::idleUntil(uint32_t launch) {
  int64_t from = now_;
  while (!ended_[launch])
    advance(untilNextEvent());
  return now_ - from;
}

} // namespace ccgraph::overlap
