#include "schedule/overlap/simple_plan.h"

#include "ccgraph/ir/int_list.h"

#include "schedule/overlap/arrange.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace ccgraph::overlap {

namespace {

/// This part of all collectives may differ from the ones a period later: those before the first layer, after the last
/// one, and between forward and backward.
constexpr size_t otherPart = 4;
/// More collectives than a layer has.
constexpr size_t longestPeriod = 512;
/// If one bucket takes less than this part of the time of all buckets, most of their time is latency.
constexpr int64_t latencyPart = 2;
/// The buckets must save this part of the computation.
constexpr int64_t savedPart = 1000;

/// Returns the period of the sizes; 0 if there is none.
size_t periodOf(llvm::ArrayRef<int64_t> bytes) {
  for (size_t period = 1; period <= std::min(bytes.size() / 2, longestPeriod); ++period) {
    size_t others = 0;
    for (size_t i = period; i < bytes.size() && otherPart * others <= bytes.size(); ++i)
      others += bytes[i] != bytes[i - period];
    if (otherPart * others <= bytes.size())
      return period;
  }
  return 0;
}

/// Launches that may be merged, in program order.
using Kin = std::vector<uint32_t>;

class Planner {
public:
  Planner(const Problem &problem, const Tasks &tasks) : problem_(problem), tasks_(tasks) {}
  std::optional<Schedule> plan();

private:
  [[nodiscard]] bool isPrefetch(uint32_t launch) const { return tasks_.prefetchable(tasks_.taskOf(launch)); }
  [[nodiscard]] bool lasts(uint32_t launch) const {
    return tasks_.neededBy(tasks_.taskOf(launch)) + 1 >= tasks_.size();
  }
  [[nodiscard]] std::vector<Kin> kinds() const;
  [[nodiscard]] int64_t bytesOf(llvm::ArrayRef<uint32_t> launches) const;
  [[nodiscard]] int64_t timeOf(llvm::ArrayRef<uint32_t> launches) const;
  [[nodiscard]] std::vector<Kin> bucketsOf(const Kin &kin) const;
  void place(llvm::ArrayRef<Kin> buckets);
  void placePrefetch(llvm::ArrayRef<Kin> buckets, size_t i);
  void placeReduction(llvm::ArrayRef<Kin> buckets, size_t i);
  void deferReaders();
  [[nodiscard]] bool isWorthIt() const;

  const Problem &problem_;
  const Tasks &tasks_;
  Preferences preferred_;
  /// by step: it is deferred with a wait
  std::vector<bool> deferred_;
};

/// Returns the prefetches of each key, and the reductions of each key.
std::vector<Kin> Planner::kinds() const {
  std::map<std::pair<uint32_t, bool>, Kin> found;
  for (uint32_t step = 0; step < problem_.steps.size(); ++step)
    if (const Step &it = problem_.steps[step]; it.kind == StepKind::Launch && it.mergeKey != none)
      if (bool ahead = isPrefetch(step); ahead || lasts(step))
        found[{it.mergeKey, ahead}].push_back(step);
  std::vector<Kin> kinds;
  for (auto &[key, kin] : found)
    kinds.push_back(std::move(kin));
  return kinds;
}

int64_t Planner::bytesOf(llvm::ArrayRef<uint32_t> launches) const {
  int64_t bytes = 0;
  for (uint32_t launch : launches)
    bytes = saturatingAdd(bytes, problem_.steps[launch].bytes);
  return bytes;
}

int64_t Planner::timeOf(llvm::ArrayRef<uint32_t> launches) const {
  return problem_.estimatedTime(launches.front(), bytesOf(launches));
}

std::vector<Kin> Planner::bucketsOf(const Kin &kin) const {
  std::vector<int64_t> bytes;
  for (uint32_t launch : kin)
    bytes.push_back(problem_.steps[launch].bytes);
  std::vector<Kin> buckets;
  int64_t time = 0;
  size_t begin = 0;
  for (size_t end : layersOf(bytes)) {
    buckets.emplace_back(kin.begin() + static_cast<ptrdiff_t>(begin), kin.begin() + static_cast<ptrdiff_t>(end));
    time += timeOf(buckets.back());
    begin = end;
  }
  if (kin.size() <= mostMembers && timeOf(kin) <= time / latencyPart)
    return {kin};
  return buckets;
}

/// Issues the bucket where the one before it was needed, so that it has a layer's time.
void Planner::placePrefetch(llvm::ArrayRef<Kin> buckets, size_t i) {
  for (uint32_t launch : buckets[i])
    preferred_.places[launch] = buckets[i == 0 ? 0 : i - 1].front() + 1;
}

/// Issues the bucket at its last launch, and waits for it after the next bucket is issued, or as late as possible.
void Planner::placeReduction(llvm::ArrayRef<Kin> buckets, size_t i) {
  for (uint32_t launch : buckets[i]) {
    preferred_.places[launch] = buckets[i].back() + 1;
    for (uint32_t wait : tasks_.waitsOf(launch)) {
      preferred_.places[wait] = i + 1 < buckets.size() ? buckets[i + 1].back() + 2 : none;
      deferred_[wait] = true;
    }
  }
}

void Planner::place(llvm::ArrayRef<Kin> buckets) {
  for (size_t i = 0; i < buckets.size(); ++i)
    if (isPrefetch(buckets[i].front()))
      placePrefetch(buckets, i);
    else
      placeReduction(buckets, i);
}

/// Defers what reads a deferred result.
void Planner::deferReaders() {
  for (uint32_t step = 0; step < problem_.steps.size(); ++step)
    for (uint32_t from : problem_.before[step])
      if (deferred_[from] && preferred_.places[from] > preferred_.places[step]) {
        preferred_.places[step] = preferred_.places[from];
        deferred_[step] = true;
      }
}

bool Planner::isWorthIt() const {
  int64_t saved = 0;
  for (const std::vector<uint32_t> &bucket : preferred_.buckets) {
    for (uint32_t launch : bucket)
      saved += problem_.steps[launch].picoseconds;
    saved -= timeOf(bucket);
  }
  return saved > 0 && saved >= tasks_.computeBefore(tasks_.size()) / savedPart;
}

std::optional<Schedule> Planner::plan() {
  for (uint32_t step = 0; step < problem_.steps.size(); ++step)
    preferred_.places.push_back(step + 1);
  deferred_.resize(problem_.steps.size());
  for (const Kin &kin : kinds()) {
    std::vector<Kin> buckets = bucketsOf(kin);
    place(buckets);
    for (Kin &bucket : buckets)
      if (bucket.size() > 1 && bucket.size() <= mostMembers)
        preferred_.buckets.push_back(std::move(bucket));
  }
  if (!isWorthIt())
    return std::nullopt;
  deferReaders();
  return arrange(problem_, preferred_);
}

} // namespace

std::vector<size_t> layersOf(llvm::ArrayRef<int64_t> bytes) {
  const size_t period = periodOf(bytes);
  if (period == 0)
    return {bytes.size()};
  auto layer = [&](size_t begin) { return bytes.slice(begin, period); };
  auto repeats = [&](size_t begin, size_t next) {
    return next + period <= bytes.size() && layer(begin) == layer(next);
  };
  std::vector<size_t> ends;
  size_t between = 0;
  for (size_t begin = 0; begin < bytes.size();) {
    bool follows = begin == between && begin >= period; // a layer ends here
    if (repeats(begin, begin + period) || (follows && repeats(begin - period, begin))) {
      if (begin > between)
        ends.push_back(begin);
      begin += period;
      ends.push_back(between = begin);
    } else
      ++begin;
  }
  if (between < bytes.size())
    ends.push_back(bytes.size());
  return ends;
}

std::optional<Schedule> simplePlan(const Problem &problem, const Tasks &tasks) {
  return Planner(problem, tasks).plan();
}

} // namespace ccgraph::overlap
