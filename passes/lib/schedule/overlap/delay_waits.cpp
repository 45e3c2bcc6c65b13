#include "schedule/overlap/delay_waits.h"

#include "schedule/overlap/bucket_holds.h"
#include "schedule/overlap/bucket_spans.h"
#include "schedule/overlap/memory_curve.h"
#include "schedule/overlap/places.h"
#include "schedule/overlap/replay.h"

#include <algorithm>
#include <map>

namespace ccgraph::overlap {

namespace {

class WaitDelayer {
public:
  WaitDelayer(const Problem &problem, Schedule schedule, Budget budget)
      : problem_(problem), schedule_(std::move(schedule)), budget_(budget), spans_(schedule_),
        curve_(memoryByPlace(problem, schedule_)), followers_(problem.before.inverse(problem.steps.size())),
        leader_(asItStands(problem).order), place_(placesOf(schedule_.order)), releases_(problem.steps.size()) {
    measure();
  }
  Schedule run();

private:
  void measure();
  [[nodiscard]] size_t latest(uint32_t step) const;
  [[nodiscard]] size_t fitting(size_t place, size_t most, int64_t bytes) const;
  [[nodiscard]] llvm::ArrayRef<uint32_t> together(const uint32_t &step) const;
  void move(llvm::ArrayRef<uint32_t> steps);

  const Problem &problem_;
  Schedule schedule_;
  Budget budget_;
  BucketSpans spans_;
  MemoryCurve curve_;
  NumberLists followers_;
  /// by step: the first member of its bucket, itself if it is in none
  std::vector<uint32_t> leader_;
  /// by first member of a bucket: the waits of its members, in order of position
  std::map<uint32_t, std::vector<uint32_t>> mates_;
  /// by step: its old position
  std::vector<size_t> place_;
  /// by step: its position, or the position directly before which it was moved
  std::vector<size_t> before_;
  /// by step: bytes that it is the last to hold
  std::vector<int64_t> releases_;
  /// by position: the steps before it that a stall delays, which are launches and computation
  std::vector<size_t> delayable_;
};

void WaitDelayer::measure() {
  for (const std::vector<uint32_t> &bucket : schedule_.buckets)
    for (uint32_t member : bucket)
      leader_[member] = bucket.front();
  for (uint32_t step : schedule_.order)
    for (uint32_t launch : problem_.completes[step])
      mates_[leader_[launch]].push_back(step);
  size_t delayable = 0;
  for (size_t place = 0; place < schedule_.order.size(); ++place) {
    const Step &step = problem_.steps[schedule_.order[place]];
    delayable_.push_back(delayable);
    delayable += step.kind == StepKind::Launch || (step.kind == StepKind::Compute && step.picoseconds > 0);
  }
  BucketHolds buckets(problem_, schedule_);
  std::vector<bool> held(problem_.storages.size());
  for (uint32_t step : llvm::reverse(schedule_.order))
    for (llvm::ArrayRef<uint32_t> storages : {problem_.holds[step], buckets.beside(step)})
      for (uint32_t storage : storages)
        if (!held[storage] && !problem_.storages[storage].toEnd) {
          held[storage] = true;
          releases_[step] += problem_.storages[storage].bytes;
        }
  before_ = place_;
}

/// Returns the position of the first step that needs it; its own if there is none.
size_t WaitDelayer::latest(uint32_t step) const {
  size_t first = schedule_.order.size();
  for (uint32_t follower : followers_[step])
    first = std::min(first, spans_.first(before_[follower]));
  return first == schedule_.order.size() ? place_[step] : first;
}

/// Returns the last position up to `most` such that this many bytes more fit from after `place` to before it.
size_t WaitDelayer::fitting(size_t place, size_t most, int64_t bytes) const {
  size_t least = place + 1;
  while (least < most) {
    size_t middle = most - (most - least) / 2;
    if (budget_.fits(curve_.largest(place + 1, middle) + bytes))
      least = middle;
    else
      most = middle - 1;
  }
  return least;
}

/// Returns the waits of one collective, because a bucket's inputs and outputs are held until the last of them. May
/// refer to `step`.
llvm::ArrayRef<uint32_t> WaitDelayer::together(const uint32_t &step) const {
  llvm::ArrayRef<uint32_t> completed = problem_.completes[step];
  if (completed.size() != 1)
    return step;
  auto found = mates_.find(leader_[completed.front()]);
  return found == mates_.end() ? llvm::ArrayRef(step) : llvm::ArrayRef(found->second);
}

/// `steps` in order of position.
void WaitDelayer::move(llvm::ArrayRef<uint32_t> steps) {
  size_t place = place_[steps.back()], most = schedule_.order.size();
  int64_t bytes = 0;
  for (uint32_t step : steps) {
    most = std::min(most, latest(step));
    bytes += releases_[step];
  }
  if (most <= place + 1)
    return;
  size_t before = spans_.first(fitting(place_[steps.front()], most, bytes));
  // Moves that pass neither computation nor a launch have no effect on the time and are skipped; a view moves along
  // with its operand.
  bool waits = problem_.steps[steps.front()].kind == StepKind::Wait;
  if (before <= place + 1 || (waits && delayable_[before] == delayable_[place]))
    return;
  for (uint32_t step : steps) {
    curve_.add(place_[step] + 1, before, releases_[step]);
    before_[step] = before;
  }
}

Schedule WaitDelayer::run() {
  for (uint32_t step : llvm::reverse(schedule_.order))
    if (StepKind kind = problem_.steps[step].kind; kind == StepKind::Free)
      move(step);
    else if (kind == StepKind::Wait)
      if (llvm::ArrayRef<uint32_t> waits = together(step); waits.front() == step)
        move(waits);
  // A moved step comes before the step that keeps the position, because its old position is further ahead.
  schedule_.order = orderedBy(before_, schedule_.order);
  return std::move(schedule_);
}

} // namespace

Schedule delayWaits(const Problem &problem, Schedule schedule, Budget budget) {
  return WaitDelayer(problem, std::move(schedule), budget).run();
}

} // namespace ccgraph::overlap
