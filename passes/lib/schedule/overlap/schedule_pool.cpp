#include "schedule/overlap/schedule_pool.h"

#include <algorithm>
#include <utility>

namespace ccgraph::overlap {

void SchedulePool::setLimit(int64_t bytes) {
  least_ = std::min(bytes, budget_);
  dropUseless();
}

void SchedulePool::add(Schedule schedule) {
  schedules_.push_back(std::move(schedule));
  dropUseless();
}

bool SchedulePool::isUseless(size_t index) const {
  const Schedule &it = schedules_[index];
  if (it.peakBytes > most_ && &it != &smallest())
    return true;
  for (size_t other = 0; other < schedules_.size(); ++other) {
    const Schedule &that = schedules_[other];
    bool isFaster = std::pair(that.picoseconds, other) < std::pair(it.picoseconds, index);
    if (isFaster && that.peakBytes <= std::max(it.peakBytes, least_))
      return true;
  }
  return false;
}

void SchedulePool::dropUseless() {
  std::vector<Schedule> kept;
  std::vector<size_t> useful;
  for (size_t index = 0; index < schedules_.size(); ++index)
    if (!isUseless(index))
      useful.push_back(index);
  for (size_t index : useful)
    kept.push_back(std::move(schedules_[index]));
  schedules_ = std::move(kept);
}

const Schedule *SchedulePool::fastest(int64_t bytes) const {
  const Schedule *best = nullptr;
  for (const Schedule &it : schedules_)
    if (it.peakBytes <= bytes && (!best || it.picoseconds < best->picoseconds))
      best = &it;
  return best;
}

const Schedule &SchedulePool::smallest() const {
  auto isSmaller = [](const Schedule &a, const Schedule &b) {
    return std::pair(a.peakBytes, a.picoseconds) < std::pair(b.peakBytes, b.picoseconds);
  };
  return *std::min_element(schedules_.begin(), schedules_.end(), isSmaller);
}

} // namespace ccgraph::overlap
