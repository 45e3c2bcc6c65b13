#include "schedule/overlap/transfers.h"

#include <algorithm>

namespace ccgraph::overlap {

Transfers::Transfers(const Problem &problem, const Tasks &tasks)
    : problem_(problem), tasks_(tasks), bucketOf_(tasks.size(), none), free_(problem.streams) {}

uint32_t Transfers::start(llvm::ArrayRef<uint32_t> members, int64_t now) {
  const Step &first = tasks_.step(members.front());
  int64_t time = first.picoseconds;
  if (members.size() > 1) {
    int64_t bytes = 0;
    for (uint32_t member : members)
      bytes += tasks_.step(member).bytes;
    time = problem_.estimatedTime(tasks_.stepOf(members.front()), bytes);
  }
  int64_t &free = free_[first.stream];
  free = std::max(free, now) + time;
  auto bucket = static_cast<uint32_t>(buckets_.size());
  buckets_.push_back({members.vec(), free, false});
  for (uint32_t member : members)
    bucketOf_[member] = bucket;
  if (!tasks_.prefetchable(members.front()))
    inFlight_.push({free, bucket});
  return bucket;
}

int64_t Transfers::allDone() const {
  int64_t done = 0;
  for (int64_t free : free_)
    done = std::max(done, free);
  return done;
}

int64_t Transfers::completesFor(uint32_t task) const {
  int64_t at = 0;
  for (uint32_t launch : tasks_.completed(task))
    at = std::max(at, end(bucketOf_[launch]));
  return at;
}

uint32_t Transfers::firstToEnd() {
  while (!inFlight_.empty() && completed(inFlight_.top().second))
    inFlight_.pop();
  return inFlight_.empty() ? none : inFlight_.top().second;
}

std::vector<std::vector<uint32_t>> Transfers::merged() const {
  std::vector<std::vector<uint32_t>> result;
  for (const Bucket &bucket : buckets_) {
    if (bucket.members.size() < 2)
      continue;
    std::vector<uint32_t> &steps = result.emplace_back();
    for (uint32_t member : bucket.members)
      steps.push_back(tasks_.stepOf(member));
  }
  return result;
}

} // namespace ccgraph::overlap
