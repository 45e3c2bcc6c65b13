#include "schedule/overlap/arrange.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <queue>

namespace ccgraph::overlap {

namespace {

/// Sorts units. A unit is a step, or the launches of a bucket, and is named by its first step.
class Arranger {
public:
  Arranger(const Problem &problem, const Preferences &preferred);
  Schedule run();

private:
  using Place = std::pair<uint32_t, uint32_t>;
  [[nodiscard]] size_t size() const { return problem_.steps.size(); }
  /// The launches of a bucket, or the step itself.
  [[nodiscard]] llvm::ArrayRef<uint32_t> stepsOf(uint32_t unit) const;
  void sort();
  void start();
  void count();
  void issue(uint32_t unit);
  void noteReady(uint32_t unit);
  uint32_t takeReady();
  void splitFirstBucket();
  void pullForward();

  const Problem &problem_;
  NumberLists followers_;
  /// by step
  std::vector<uint32_t> unitOf_;
  /// by unit of several steps: its steps, ascending
  std::map<uint32_t, std::vector<uint32_t>> buckets_;
  /// by unit
  std::vector<uint32_t> placeOf_;
  /// in the order of the last sort()
  std::vector<uint32_t> units_;
  /// by step: the steps that it needs and that are not issued
  std::vector<uint32_t> missing_;
  /// by unit: its steps that need others; none: issued
  std::vector<uint32_t> waiting_;
  std::priority_queue<Place, std::vector<Place>, std::greater<>> ready_;
  /// instead of ready_, as long as each order will do
  std::vector<uint32_t> anyReady_;
  bool usesPlaces_ = false;
};

Arranger::Arranger(const Problem &problem, const Preferences &preferred)
    : problem_(problem), followers_(problem.before.inverse(problem.steps.size())), unitOf_(problem.steps.size()),
      placeOf_(problem.steps.size(), none) {
  for (uint32_t step = 0; step < size(); ++step)
    unitOf_[step] = step;
  for (const std::vector<uint32_t> &bucket : preferred.buckets) {
    uint32_t first = *std::min_element(bucket.begin(), bucket.end());
    for (uint32_t step : bucket)
      unitOf_[step] = first;
    llvm::sort(buckets_[first] = bucket);
  }
  // Inputs of the program precede all other steps. The last step returns the outputs and follows them, also those on
  // which no output depends.
  for (uint32_t step = 0; step + 1 < size(); ++step) {
    uint32_t &place = placeOf_[unitOf_[step]];
    place = std::min(place, problem.steps[step].input ? 0 : preferred.places[step]);
  }
}

llvm::ArrayRef<uint32_t> Arranger::stepsOf(uint32_t unit) const {
  auto bucket = buckets_.find(unit);
  return bucket == buckets_.end() ? llvm::ArrayRef(unitOf_).slice(unit, 1) : llvm::ArrayRef(bucket->second);
}

void Arranger::count() {
  missing_.resize(size());
  waiting_.assign(size(), 0);
  for (uint32_t step = 0; step < size(); ++step) {
    missing_[step] = static_cast<uint32_t>(problem_.before[step].size());
    waiting_[unitOf_[step]] += missing_[step] > 0;
  }
}

void Arranger::noteReady(uint32_t unit) {
  if (usesPlaces_)
    ready_.emplace(placeOf_[unit], unit);
  else
    anyReady_.push_back(unit);
}

uint32_t Arranger::takeReady() {
  uint32_t unit = usesPlaces_ ? ready_.top().second : anyReady_.back();
  if (usesPlaces_)
    ready_.pop();
  else
    anyReady_.pop_back();
  return unit;
}

/// Puts the units in an order that all edges permit; the earliest position first if it uses positions.
void Arranger::sort() {
  start();
  size_t issued = 0;
  while (issued < size()) {
    if (ready_.empty() && anyReady_.empty())
      splitFirstBucket();
    uint32_t unit = takeReady();
    issued += stepsOf(unit).size();
    issue(unit);
  }
}

void Arranger::start() {
  count();
  units_.clear();
  for (uint32_t step = 0; step < size(); ++step)
    if (unitOf_[step] == step && waiting_[step] == 0)
      noteReady(step);
}

void Arranger::issue(uint32_t unit) {
  units_.push_back(unit);
  waiting_[unit] = none;
  for (uint32_t step : stepsOf(unit))
    for (uint32_t follower : followers_[step])
      if (--missing_[follower] == 0 && --waiting_[unitOf_[follower]] == 0)
        noteReady(unitOf_[follower]);
}

// No unit is ready, so some bucket is on a cycle. The first step of the first bucket can be issued, since all steps
// before it in the program are: edges go forward, and these steps are in no bucket that is left.
void Arranger::splitFirstBucket() {
  auto first = llvm::find_if(buckets_, [&](const auto &bucket) { return waiting_[bucket.first] != none; });
  std::vector<uint32_t> now, later;
  for (uint32_t step : first->second)
    (missing_[step] == 0 ? now : later).push_back(step);
  const uint32_t unit = first->first, other = later.front();
  for (uint32_t step : later)
    unitOf_[step] = other;
  placeOf_[other] = placeOf_[unit];
  waiting_[other] = static_cast<uint32_t>(later.size());
  waiting_[unit] = 0;
  first->second = std::move(now);
  buckets_[other] = std::move(later);
  noteReady(unit);
}

/// Moves each unit to the position of the first one that needs it, if that is earlier.
void Arranger::pullForward() {
  for (uint32_t unit : llvm::reverse(units_))
    for (uint32_t step : stepsOf(unit))
      for (uint32_t follower : followers_[step])
        placeOf_[unit] = std::min(placeOf_[unit], placeOf_[unitOf_[follower]]);
}

Schedule Arranger::run() {
  sort();
  pullForward();
  usesPlaces_ = true;
  sort();
  Schedule schedule;
  for (uint32_t unit : units_)
    llvm::append_range(schedule.order, stepsOf(unit));
  for (auto &[unit, bucket] : buckets_)
    if (bucket.size() > 1)
      schedule.buckets.push_back(std::move(bucket));
  return schedule;
}

} // namespace

Schedule arrange(const Problem &problem, const Preferences &preferred) { return Arranger(problem, preferred).run(); }

} // namespace ccgraph::overlap
