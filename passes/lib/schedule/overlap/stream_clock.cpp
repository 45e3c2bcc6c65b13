#include "schedule/overlap/stream_clock.h"

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

/// Returns value * factor / divisor, rounded down; value * factor alone may exceed 64 bits.
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
  links_.resize(links);
}

// A remainder below one picosecond a sharer is kept until the number of sharers changes, and is then lost.
void CrowdedClock::bringUpToNow(Link &link) const {
  if (int64_t crowd = link.crowd(); crowd > 0)
    link.done += (now_ - link.at) / crowd;
  link.at = now_;
}

/// Must be called before the number of sharers of the link changes; expect() must be called after.
void CrowdedClock::forget(size_t link) {
  Link &it = links_[link];
  if (!it.sharers.empty())
    events_.erase({it.at + (it.sharers.top().first - it.done) * it.crowd(), true, link});
  bringUpToNow(it);
}

void CrowdedClock::expect(size_t link) {
  const Link &it = links_[link];
  if (!it.sharers.empty())
    events_.insert({it.at + (it.sharers.top().first - it.done) * it.crowd(), true, link});
}

void CrowdedClock::runUntil(int64_t time) {
  while (!events_.empty() && events_.begin()->time <= time) {
    Event next = *events_.begin();
    now_ = next.time;
    if (next.isLink) {
      endOnLink(next.index);
      continue;
    }
    events_.erase(events_.begin());
    auto stream = static_cast<uint32_t>(next.index);
    if (queues_[stream].front().work > 0) {
      enterLink(stream);
      continue;
    }
    endFirst(stream);
    beginFirst(stream);
  }
  now_ = time;
}

void CrowdedClock::enterLink(uint32_t stream) {
  size_t link = linkOf_[stream];
  forget(link);
  links_[link].sharers.push({links_[link].done + queues_[stream].front().work, stream});
  expect(link);
}

void CrowdedClock::endOnLink(size_t link) {
  forget(link);
  uint32_t stream = links_[link].sharers.top().second;
  links_[link].sharers.pop();
  expect(link);
  endFirst(stream);
  beginFirst(stream);
}

void CrowdedClock::endFirst(uint32_t stream) {
  uint32_t launch = queues_[stream].front().launch;
  times_[launch].end = now_;
  ended_[launch] = true;
  queues_[stream].pop_front();
}

void CrowdedClock::beginFirst(uint32_t stream) {
  while (!queues_[stream].empty()) {
    const Transfer &first = queues_[stream].front();
    times_[first.launch].begin = now_;
    if (first.latency > 0) {
      events_.insert({now_ + first.latency, false, stream});
      return;
    }
    if (first.work > 0)
      return enterLink(stream);
    endFirst(stream);
  }
  --running_;
}

void CrowdedClock::start(uint32_t launch, int64_t picoseconds) {
  const Step &step = problem_.steps[launch];
  int64_t latency = std::min(step.latency, picoseconds);
  queues_[step.stream].push_back({launch, latency, picoseconds - latency});
  if (queues_[step.stream].size() > 1)
    return;
  ++running_;
  beginFirst(step.stream);
}

/// After each event, the slowdown of the remaining computation is computed again.
void CrowdedClock::compute(int64_t picoseconds) {
  const int64_t slowed = whole + problem_.crowding.slowdownPpm;
  while (picoseconds > 0) {
    if (running_ == 0) {
      now_ += picoseconds;
      return;
    }
    int64_t needs = scaled(picoseconds, slowed, whole), runs = std::min(needs, events_.begin()->time - now_);
    runUntil(now_ + runs);
    picoseconds = runs == needs ? 0 : picoseconds - scaled(runs, whole, slowed);
  }
}

int64_t CrowdedClock::idleUntil(uint32_t launch) {
  int64_t from = now_;
  while (!ended_[launch])
    runUntil(events_.begin()->time);
  return now_ - from;
}

} // namespace ccgraph::overlap
