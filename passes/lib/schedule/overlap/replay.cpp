#include "schedule/overlap/replay.h"

#include "schedule/overlap/bucket_holds.h"
#include "schedule/overlap/stream_clock.h"

#include "llvm/ADT/BitVector.h"

#include <algorithm>
#include <numeric>

namespace ccgraph::overlap {

namespace {

/// Live bytes while steps are issued in some order.
class Alive {
public:
  Alive(const Problem &problem, const Schedule &schedule)
      : problem_(problem), buckets_(problem, schedule), left_(problem.storages.size()),
        alive_(static_cast<unsigned>(left_.size())) {
    for (uint32_t storage : problem.holds.values())
      ++left_[storage];
    for (llvm::ArrayRef<uint32_t> held : buckets_.lists())
      for (uint32_t storage : held)
        ++left_[storage];
    for (size_t storage = 0; storage < alive_.size(); ++storage)
      if (problem.storages[storage].fromStart)
        begin(static_cast<uint32_t>(storage));
  }
  [[nodiscard]] int64_t bytes() const { return bytes_; }
  void enter(uint32_t step) {
    for (uint32_t storage : problem_.holds[step])
      if (!alive_.test(storage))
        begin(storage);
  }
  void leave(uint32_t step) {
    for (uint32_t storage : problem_.holds[step])
      release(storage);
    for (uint32_t storage : buckets_.beside(step))
      release(storage);
  }

private:
  void begin(uint32_t storage) {
    alive_.set(storage);
    bytes_ += problem_.storages[storage].bytes;
  }
  void release(uint32_t storage) {
    if (--left_[storage] == 0 && !problem_.storages[storage].toEnd)
      bytes_ -= problem_.storages[storage].bytes;
  }
  const Problem &problem_;
  BucketHolds buckets_;
  std::vector<uint32_t> left_;
  llvm::BitVector alive_;
  int64_t bytes_ = 0;
};

/// The record of a replay: the figures of the whole program, or those of each step too.
enum class Detail : uint8_t { Totals, Steps };

/// Issues steps on a clock and records the results.
template <class Clock, Detail detail>
class Streams {
public:
  Streams(const Problem &problem, const Schedule &schedule, LinkTime links)
      : problem_(problem), clock_(problem), links_(links) {
    size_t steps = problem.steps.size();
    first_.resize(steps);
    std::iota(first_.begin(), first_.end(), 0);
    bytes_.assign(steps, 0);
    for (const std::vector<uint32_t> &bucket : schedule.buckets)
      for (uint32_t member : bucket) {
        first_[member] = bucket.front();
        bytes_[bucket.front()] += problem.steps[member].bytes;
      }
    result_.busy.resize(problem.streams);
    if constexpr (detail == Detail::Steps)
      for (std::vector<int64_t> *of : {&result_.begin, &result_.end, &result_.exposedBy, &result_.at, &result_.left})
        of->resize(steps);
  }
  void issue(uint32_t step) {
    const int64_t at = clock_.now();
    if (problem_.steps[step].kind == StepKind::Compute) {
      clock_.compute(problem_.steps[step].picoseconds);
      result_.compute += clock_.now() - at;
    } else if (problem_.steps[step].kind == StepKind::Launch && first_[step] == step)
      launch(step);
    for (uint32_t completed : problem_.completes[step])
      idleUntil(first_[completed]);
    if constexpr (detail == Detail::Steps) {
      result_.at[step] = at;
      result_.left[step] = clock_.now();
    }
  }
  Replay finish() {
    // The end of the program waits for the last collective to end, so all others end before.
    for (uint32_t step : launched_)
      idleUntil(step);
    for (uint32_t step : launched_) {
      const TransferTimes times = clock_.times(step);
      result_.busy[problem_.steps[step].stream] += times.end - times.begin;
      if constexpr (detail == Detail::Steps) {
        result_.begin[step] = times.begin;
        result_.end[step] = times.end;
      }
    }
    result_.total = clock_.now();
    result_.exposed = result_.total - result_.compute;
    return std::move(result_);
  }

private:
  void launch(uint32_t step) {
    int64_t alone = bytes_[step] == 0 ? problem_.steps[step].picoseconds : problem_.estimatedTime(step, bytes_[step]);
    clock_.start(step, alone * links_.times / links_.of);
    launched_.push_back(step);
  }
  void idleUntil(uint32_t launch) {
    const int64_t idle = clock_.idleUntil(launch);
    if constexpr (detail == Detail::Steps)
      result_.exposedBy[launch] += idle;
  }

  const Problem &problem_;
  Clock clock_;
  LinkTime links_;
  /// by launch: the first of its bucket
  std::vector<uint32_t> first_;
  /// by first member of a bucket
  std::vector<int64_t> bytes_;
  std::vector<uint32_t> launched_;
  Replay result_;
};

template <class Clock, Detail detail>
Replay timedBy(const Problem &problem, const Schedule &schedule, LinkTime links) {
  Streams<Clock, detail> streams(problem, schedule, links);
  for (uint32_t step : schedule.order)
    streams.issue(step);
  return streams.finish();
}

template <Detail detail>
Replay timed(const Problem &problem, const Schedule &schedule, LinkTime links = {}) {
  return problem.crowding.empty() ? timedBy<PerfectClock, detail>(problem, schedule, links)
                                  : timedBy<CrowdedClock, detail>(problem, schedule, links);
}

} // namespace

Replay replayTimes(const Problem &problem, const Schedule &schedule, LinkTime links) {
  return timed<Detail::Steps>(problem, schedule, links);
}

int64_t timeOf(const Problem &problem, const Schedule &schedule) {
  return timed<Detail::Totals>(problem, schedule).total;
}

Replay replay(const Problem &problem, const Schedule &schedule) {
  Replay result = replayTimes(problem, schedule);
  MemoryPeak peak = memoryPeak(problem, schedule);
  result.peakBytes = peak.bytes;
  result.peakAt = peak.at;
  return result;
}

MemoryPeak memoryPeak(const Problem &problem, const Schedule &schedule) {
  Alive alive(problem, schedule);
  MemoryPeak peak{alive.bytes(), 0};
  for (size_t place = 0; place < schedule.order.size(); ++place) {
    alive.enter(schedule.order[place]);
    if (alive.bytes() > peak.bytes)
      peak = {alive.bytes(), place};
    alive.leave(schedule.order[place]);
  }
  return peak;
}

Schedule measured(const Problem &problem, Schedule schedule) {
  schedule.picoseconds = timeOf(problem, schedule);
  schedule.peakBytes = memoryPeak(problem, schedule).bytes;
  return schedule;
}

bool measureWithin(const Problem &problem, Schedule &schedule, int64_t longest, Budget budget) {
  schedule.picoseconds = timeOf(problem, schedule);
  if (schedule.picoseconds > longest)
    return false;
  schedule.peakBytes = memoryPeak(problem, schedule).bytes;
  return budget.fits(schedule.peakBytes);
}

std::vector<int64_t> memoryByPlace(const Problem &problem, const Schedule &schedule) {
  Alive alive(problem, schedule);
  std::vector<int64_t> bytes;
  bytes.reserve(schedule.order.size());
  for (uint32_t step : schedule.order) {
    alive.enter(step);
    bytes.push_back(alive.bytes());
    alive.leave(step);
  }
  return bytes;
}

Schedule asItStands(const Problem &problem) {
  Schedule schedule;
  schedule.order.resize(problem.steps.size());
  std::iota(schedule.order.begin(), schedule.order.end(), 0);
  return schedule;
}

} // namespace ccgraph::overlap
