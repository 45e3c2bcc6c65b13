#include "schedule/overlap/starts.h"

#include "schedule/overlap/large_bucket.h"
#include "schedule/overlap/low_memory_order.h"
#include "schedule/overlap/ordered_problem.h"
#include "schedule/overlap/replay.h"

namespace ccgraph::overlap {

Base::Base(const Problem &standing)
    : order(asItStands(standing).order), problem(standing), tasks(problem), late(lateCurve(problem, tasks)) {}

Base::Base(const Problem &from, std::vector<uint32_t> byNumber)
    : order(std::move(byNumber)), own(std::make_unique<Problem>(renumbered(from, order))), problem(*own),
      tasks(problem), late(lateCurve(problem, tasks)) {}

Trial Base::walkWith(const Policy &policy) const {
  Trial trial = walk(problem, tasks, late, policy);
  for (uint32_t &step : trial.schedule.order)
    step = order[step];
  for (std::vector<uint32_t> &bucket : trial.schedule.buckets)
    for (uint32_t &step : bucket)
      step = order[step];
  return trial;
}

Starts::Starts(const Problem &problem) {
  LowMemoryOrder lowMemory = lowMemoryOrder(problem); // first, because it needs much memory for a moment
  floor_ = lowMemory.floor;
  leastPeak_ = lowMemory.peak;
  Schedule standing = asItStands(problem);
  Replay now = replay(problem, standing);
  standing.picoseconds = now.total;
  standing.peakBytes = now.peakBytes;
  compute_ = now.compute;
  largeBucket_ = overlap::largeBucket(problem);
  bases_.push_back(std::make_unique<Base>(problem));
  bool isStanding = lowMemory.order == standing.order;
  schedules_.push_back(std::move(standing));
  if (isStanding)
    return;
  Schedule schedule;
  schedule.order = lowMemory.order;
  bases_.push_back(std::make_unique<Base>(problem, std::move(lowMemory.order)));
  schedules_.push_back(measured(problem, std::move(schedule)));
}

} // namespace ccgraph::overlap
