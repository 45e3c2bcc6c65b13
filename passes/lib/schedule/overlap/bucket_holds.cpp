#include "schedule/overlap/bucket_holds.h"

#include "schedule/overlap/bucket_spans.h"

#include <algorithm>

namespace ccgraph::overlap {

BucketHolds::BucketHolds(const Problem &problem, const Schedule &schedule) {
  if (schedule.buckets.empty())
    return;
  const std::vector<uint32_t> bucketOf = bucketByStep(schedule);
  std::vector<uint32_t> lastWait(schedule.buckets.size(), none);
  for (uint32_t step : schedule.order)
    for (uint32_t launch : problem.completes[step])
      if (bucketOf[launch] != none)
        lastWait[bucketOf[launch]] = step;
  listOf_.assign(problem.steps.size(), none);
  for (uint32_t bucket = 0; bucket < schedule.buckets.size(); ++bucket) {
    if (lastWait[bucket] == none)
      continue;
    uint32_t &list = listOf_[lastWait[bucket]];
    if (list == none) {
      list = static_cast<uint32_t>(lists_.size());
      lists_.emplace_back();
    }
    std::vector<uint32_t> &held = lists_[list];
    for (uint32_t member : schedule.buckets[bucket])
      held.insert(held.end(), problem.holds[member].begin(), problem.holds[member].end());
    std::sort(held.begin(), held.end());
    held.erase(std::unique(held.begin(), held.end()), held.end());
  }
}

} // namespace ccgraph::overlap
