#include "schedule/overlap/replay.h"

#include <algorithm>
#include <numeric>

namespace ccgraph::overlap {

namespace {

/// Bytes alive while steps are issued in some order.
class Alive {
public:
  explicit Alive(const Problem &problem) : problem_(problem), left_(problem.storages.size()), alive_(left_.size()) {
    for (size_t step = 0; step < problem.steps.size(); ++step)
      for (uint32_t storage : problem.holds[step])
        ++left_[storage];
    for (size_t storage = 0; storage < alive_.size(); ++storage)
      if (problem.storages[storage].fromStart)
        begin(static_cast<uint32_t>(storage));
  }
  [[nodiscard]] int64_t bytes() const { return bytes_; }
  void enter(uint32_t step) {
    for (uint32_t storage : problem_.holds[step])
      if (!alive_[storage])
        begin(storage);
  }
  void leave(uint32_t step) {
    for (uint32_t storage : problem_.holds[step])
      if (--left_[storage] == 0 && !problem_.storages[storage].toEnd)
        bytes_ -= problem_.storages[storage].bytes;
  }

private:
  void begin(uint32_t storage) {
    alive_[storage] = true;
    bytes_ += problem_.storages[storage].bytes;
  }
  const Problem &problem_;
  std::vector<uint32_t> left_;
  std::vector<bool> alive_;
  int64_t bytes_ = 0;
};

class Streams {
public:
  Streams(const Problem &problem, const Schedule &schedule) : problem_(problem), free_(problem.streams) {
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
    result_.begin.resize(steps);
    result_.end.resize(steps);
    result_.exposedBy.resize(steps);
    result_.at.resize(steps);
  }
  void issue(uint32_t step) {
    result_.at[step] = now_;
    switch (problem_.steps[step].kind) {
    case StepKind::Compute:
      now_ += problem_.steps[step].picoseconds;
      result_.compute += problem_.steps[step].picoseconds;
      return;
    case StepKind::Launch:
      return launch(step);
    case StepKind::Wait:
      for (uint32_t launch : problem_.lands[step])
        idleUntil(first_[launch]);
      return;
    case StepKind::Free:
      return;
    }
  }
  Replay finish() {
    // Because what ends last is what the end of the program waits for, the others come before it.
    for (uint32_t step : launched_)
      idleUntil(step);
    result_.total = now_;
    result_.exposed = now_ - result_.compute;
    return std::move(result_);
  }
  Replay &result() { return result_; }

private:
  void launch(uint32_t step) {
    if (first_[step] != step)
      return;
    const Step &it = problem_.steps[step];
    int64_t time = bytes_[step] == 0 ? it.picoseconds : problem_.price(step, bytes_[step]);
    result_.begin[step] = std::max(now_, free_[it.stream]);
    free_[it.stream] = result_.end[step] = result_.begin[step] + time;
    result_.busy[it.stream] += time;
    launched_.push_back(step);
  }
  void idleUntil(uint32_t launch) {
    int64_t idle = std::max<int64_t>(0, result_.end[launch] - now_);
    result_.exposedBy[launch] += idle;
    now_ += idle;
  }

  const Problem &problem_;
  std::vector<int64_t> free_;
  /// by launch: the first of its bucket
  std::vector<uint32_t> first_;
  /// by first of a bucket
  std::vector<int64_t> bytes_;
  std::vector<uint32_t> launched_;
  int64_t now_ = 0;
  Replay result_;
};

} // namespace

Replay replay(const Problem &problem, const Schedule &schedule) {
  Alive alive(problem);
  Streams streams(problem, schedule);
  Replay &result = streams.result();
  result.peakBytes = alive.bytes();
  for (size_t place = 0; place < schedule.order.size(); ++place) {
    uint32_t step = schedule.order[place];
    streams.issue(step);
    alive.enter(step);
    if (alive.bytes() > result.peakBytes) {
      result.peakBytes = alive.bytes();
      result.peakAt = place;
    }
    alive.leave(step);
  }
  return streams.finish();
}

std::vector<int64_t> memoryByPlace(const Problem &problem, const Schedule &schedule) {
  Alive alive(problem);
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
