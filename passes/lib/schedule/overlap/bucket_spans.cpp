#include "schedule/overlap/bucket_spans.h"
#include "schedule/overlap/places.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

namespace ccgraph::overlap {

BucketSpans::BucketSpans(const Schedule &schedule) : first_(schedule.order.size()), last_(schedule.order.size()) {
  std::iota(first_.begin(), first_.end(), 0);
  last_ = first_;
  std::vector<size_t> place = placesOf(schedule.order);
  for (const std::vector<uint32_t> &bucket : schedule.buckets)
    for (size_t at = place[bucket.front()]; at <= place[bucket.back()]; ++at) {
      first_[at] = place[bucket.front()];
      last_[at] = place[bucket.back()];
    }
}

std::vector<uint32_t> bucketByStep(const Schedule &schedule) {
  std::vector<uint32_t> buckets(schedule.order.size(), none);
  for (uint32_t bucket = 0; bucket < schedule.buckets.size(); ++bucket)
    for (uint32_t member : schedule.buckets[bucket])
      buckets[member] = bucket;
  return buckets;
}

Schedule closed(const Problem &problem, Schedule schedule) {
  BucketSpans spans(schedule);
  std::vector<size_t> place = placesOf(schedule.order);
  std::vector<bool> isMember(schedule.order.size());
  /// by step: the bucket of which it is a member or a member's result
  std::vector<uint32_t> of(schedule.order.size(), none);
  for (uint32_t number = 0; number < schedule.buckets.size(); ++number) {
    const std::vector<uint32_t> &bucket = schedule.buckets[number];
    size_t first = place[bucket.front()];
    for (uint32_t member : bucket) {
      isMember[member] = true;
      of[member] = number;
    }
    std::vector<uint32_t> before, behind;
    for (size_t at = first; at <= spans.last(first); ++at) {
      uint32_t step = schedule.order[at];
      if (isMember[step])
        continue;
      bool isYielded = llvm::any_of(problem.before[step], [&](uint32_t from) { return of[from] == number; });
      of[step] = isYielded ? number : none;
      (isYielded ? behind : before).push_back(step);
    }
    auto to = std::copy(before.begin(), before.end(), schedule.order.begin() + static_cast<ptrdiff_t>(first));
    to = std::copy(bucket.begin(), bucket.end(), to);
    std::copy(behind.begin(), behind.end(), to);
  }
  return schedule;
}

} // namespace ccgraph::overlap
