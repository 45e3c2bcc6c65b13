#include "schedule/overlap/bucket_spans.h"

#include <algorithm>
#include <numeric>

namespace ccgraph::overlap {

BucketSpans::BucketSpans(const Schedule &schedule) : first_(schedule.order.size()), last_(schedule.order.size()) {
  std::iota(first_.begin(), first_.end(), 0);
  last_ = first_;
  std::vector<size_t> place(schedule.order.size());
  for (size_t at = 0; at < schedule.order.size(); ++at)
    place[schedule.order[at]] = at;
  for (const std::vector<uint32_t> &bucket : schedule.buckets)
    for (size_t at = place[bucket.front()]; at <= place[bucket.back()]; ++at) {
      first_[at] = place[bucket.front()];
      last_[at] = place[bucket.back()];
    }
}

} // namespace ccgraph::overlap
