#include "schedule/overlap/stream_queue.h"

#include <algorithm>

namespace ccgraph::overlap {

StreamQueue::StreamQueue(const Tasks &tasks, std::vector<uint32_t> prefetches)
    : tasks_(tasks), prefetches_(std::move(prefetches)), latestStart_(prefetches_.size()) {
  if (prefetches_.empty())
    return;
  firstPrefetch_ = prefetches_.front();
  gone_.resize(prefetches_.back() - firstPrefetch_ + 1);
  std::stable_sort(prefetches_.begin(), prefetches_.end(),
                   [&](uint32_t a, uint32_t b) { return tasks.neededBy(a) < tasks.neededBy(b); });
  int64_t start = unlimited;
  for (size_t i = prefetches_.size(); i-- > 0;) {
    uint32_t launch = prefetches_[i];
    start = std::min(start, tasks.computeBefore(tasks.neededBy(launch))) - tasks.step(launch).picoseconds;
    latestStart_[i] = start;
  }
}

void StreamQueue::produced(uint32_t launch) {
  if (!lasts(launch)) {
    prompt_.emplace(tasks_.neededBy(launch), launch);
    return;
  }
  ++numLasting_;
  uint32_t key = tasks_.step(launch).mergeKey;
  for (Kin &kin : lasting_)
    if (kin.key == key)
      return kin.launches.push_back(launch);
  lasting_.push_back({key, {launch}});
}

void StreamQueue::launched(uint32_t launch) {
  if (tasks_.prefetchable(launch)) {
    gone_[launch - firstPrefetch_] = true;
    while (next_ < prefetches_.size() && isGone(prefetches_[next_]))
      ++next_;
    return;
  }
  if (!lasts(launch)) {
    auto found = prompt_.lower_bound(tasks_.neededBy(launch));
    while (found->second != launch)
      ++found;
    prompt_.erase(found);
    return;
  }
  --numLasting_;
  for (Kin &kin : lasting_)
    if (auto found = std::find(kin.launches.begin(), kin.launches.end(), launch); found != kin.launches.end()) {
      kin.launches.erase(found);
      return;
    }
}

const StreamQueue::Kin &StreamQueue::oldest() const {
  const Kin *oldest = nullptr;
  for (const Kin &kin : lasting_)
    if (!kin.launches.empty() && (!oldest || kin.launches.front() < oldest->launches.front()))
      oldest = &kin;
  return *oldest;
}

int64_t StreamQueue::lastingTime() const {
  return hasLasting() ? tasks_.step(oldest().launches.front()).picoseconds : 0;
}

std::vector<uint32_t> StreamQueue::lasting(int64_t bytes) const {
  const Kin &kin = oldest();
  std::vector<uint32_t> members = {kin.launches.front()};
  int64_t sum = tasks_.step(members.front()).bytes;
  for (size_t i = 1; i < kin.launches.size() && kin.key != none; ++i) {
    sum += tasks_.step(kin.launches[i]).bytes;
    if (sum > bytes || members.size() == mostMembers)
      break;
    members.push_back(kin.launches[i]);
  }
  std::sort(members.begin(), members.end());
  return members;
}

} // namespace ccgraph::overlap
