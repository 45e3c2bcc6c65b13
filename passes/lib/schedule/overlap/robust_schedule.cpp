#include "schedule/overlap/robust_schedule.h"

#include "schedule/overlap/bucket_spans.h"
#include "schedule/overlap/delay_waits.h"
#include "schedule/overlap/issue_early.h"
#include "schedule/overlap/replay.h"

#include <algorithm>
#include <set>

namespace ccgraph::overlap {

namespace {

/// All splits together may cost this part of the planned step, ...
constexpr int64_t costPart = 200;
/// ... and each must save this multiple of its cost on other links.
constexpr int64_t worthwhile = 4;

/// The time of a schedule on links that are faster and slower than planned, in units of the planned step.
class OtherLinks {
public:
  OtherLinks(const Problem &problem, const Schedule &schedule) : exposedBy_(problem.steps.size()) {
    add(replayTimes(problem, schedule, {1, 2}), 1);
    add(replayTimes(problem, schedule, {2, 1}), 2);
  }
  [[nodiscard]] int64_t total() const { return total_; }
  [[nodiscard]] int64_t exposed(uint32_t launch) const { return exposedBy_[launch]; }

private:
  void add(const Replay &replay, int64_t parts) {
    total_ += replay.total / parts;
    for (size_t step = 0; step < exposedBy_.size(); ++step)
      exposedBy_[step] += replay.exposedBy[step] / parts;
  }

  int64_t total_ = 0;
  /// by step of a launch
  std::vector<int64_t> exposedBy_;
};

class Strengthener {
public:
  Strengthener(const Problem &problem, Schedule schedule, const RobustnessOptions &options)
      : problem_(problem), options_(options), best_(std::move(schedule)),
        slowest_(best_.picoseconds + best_.picoseconds / costPart) {
    options_.budget = options_.budget.atLeast(best_.peakBytes);
  }
  Schedule run();

private:
  void take(Schedule other);
  [[nodiscard]] size_t mostExposed(const OtherLinks &links) const;
  [[nodiscard]] Schedule cut(size_t bucket) const;
  [[nodiscard]] bool takesCut(size_t bucket, OtherLinks &links);

  const Problem &problem_;
  RobustnessOptions options_;
  Schedule best_;
  int64_t slowest_;
  /// first members of buckets that a split does not improve
  std::set<uint32_t> whole_;
};

void Strengthener::take(Schedule other) {
  if (measureWithin(problem_, other, best_.picoseconds, options_.budget))
    best_ = std::move(other);
}

/// Returns the index of the most exposed bucket; the number of buckets if there is none to split.
size_t Strengthener::mostExposed(const OtherLinks &links) const {
  size_t most = best_.buckets.size();
  int64_t exposed = 0;
  for (size_t i = 0; i < best_.buckets.size(); ++i) {
    uint32_t first = best_.buckets[i].front();
    if (links.exposed(first) <= exposed || whole_.count(first))
      continue;
    most = i;
    exposed = links.exposed(first);
  }
  return most;
}

/// Returns the number of members in the first of two parts of about the same bytes; at least one, and not all.
size_t firstHalf(const Problem &problem, llvm::ArrayRef<uint32_t> bucket) {
  int64_t all = 0, sum = problem.steps[bucket.front()].bytes;
  for (uint32_t member : bucket)
    all += problem.steps[member].bytes;
  size_t count = 1;
  while (count + 1 < bucket.size() && 2 * (sum + problem.steps[bucket[count]].bytes) <= all)
    sum += problem.steps[bucket[count++]].bytes;
  return count;
}

/// Splits the bucket in two, both issued as early as possible.
Schedule Strengthener::cut(size_t bucket) const {
  Schedule result = best_;
  std::vector<uint32_t> &first = result.buckets[bucket];
  auto middle = first.begin() + static_cast<ptrdiff_t>(firstHalf(problem_, first));
  std::vector<uint32_t> second(middle, first.end());
  first.erase(middle, first.end());
  const uint32_t launches[] = {first.front(), second.front()};
  result.buckets.push_back(std::move(second));
  llvm::erase_if(result.buckets, [](const std::vector<uint32_t> &it) { return it.size() < 2; });
  return issueEarly(problem_, std::move(result), {options_.budget, launches});
}

/// Splits the bucket if the parts are worth their cost; returns whether they are.
bool Strengthener::takesCut(size_t bucket, OtherLinks &links) {
  Schedule parts = cut(bucket);
  if (!measureWithin(problem_, parts, slowest_, options_.budget))
    return false;
  OtherLinks then(problem_, parts);
  const int64_t cost = std::max<int64_t>(0, parts.picoseconds - best_.picoseconds);
  if (links.total() - then.total() <= worthwhile * cost)
    return false;
  best_ = std::move(parts);
  links = std::move(then);
  return true;
}

Schedule Strengthener::run() {
  take(delayWaits(problem_, best_, options_.budget));
  take(issueEarly(problem_, best_, {options_.budget}));
  if (options_.rounds == 0)
    return closed(problem_, std::move(best_));
  OtherLinks links(problem_, best_);
  for (unsigned round = 0; round < options_.rounds; ++round) {
    size_t bucket = mostExposed(links);
    if (bucket == best_.buckets.size())
      break;
    if (!takesCut(bucket, links))
      whole_.insert(best_.buckets[bucket].front());
  }
  return closed(problem_, std::move(best_));
}

} // namespace

Schedule robust(const Problem &problem, Schedule schedule, const RobustnessOptions &options) {
  return Strengthener(problem, std::move(schedule), options).run();
}

} // namespace ccgraph::overlap
