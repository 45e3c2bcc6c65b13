#include "schedule/overlap/search.h"

#include "schedule/overlap/beam.h"
#include "schedule/overlap/fill_stalls.h"
#include "schedule/overlap/limit_search.h"
#include "schedule/overlap/memory_limits.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/robust_schedule.h"
#include "schedule/overlap/simple_plan.h"

#include <optional>

namespace ccgraph::overlap {

namespace {

/// Each split that is tried costs about as much as half a trial schedule.
constexpr unsigned walksPerCut = 2;
/// Trial schedules beyond the first few visit at most so many steps, since more change little and would take a minute
/// for 36,000 nodes. All captured steps are small enough for 190.
constexpr size_t mostVisits = 1'800'000;
constexpr unsigned fewWalks = 16;
/// A plan is made robust if it is slower by less than this part.
constexpr int64_t nearPart = 20;

class Search {
public:
  Search(const Problem &problem, const SearchOptions &options)
      : problem_(problem), options_(options), starts_(problem) {
    options_.maxWalks = affordableWalks(problem.steps.size(), options.maxWalks);
    // No order fits the budget, so the least memory that is known takes its place.
    if (options_.budget < starts_.floor())
      options_.budget = starts_.leastPeak();
  }
  Schedule run();

private:
  [[nodiscard]] std::vector<MemoryLimit> limits() const;
  [[nodiscard]] Schedule tryUnder(const MemoryLimit &limit);
  [[nodiscard]] Schedule improved(Schedule schedule, const MemoryLimit &limit) const;
  [[nodiscard]] std::optional<Schedule> askBeam(int64_t limit) const;
  [[nodiscard]] std::optional<Schedule> findOptimum() const;
  [[nodiscard]] Schedule climb();
  void addPlan(Schedule plan);
  void addPlans();
  [[nodiscard]] Schedule bestOfPlans(Schedule best);

  const Problem &problem_;
  SearchOptions options_;
  Starts starts_;
  /// under the budget, for a small program
  std::optional<Schedule> optimum_;
  /// those that fit the budget
  std::vector<Schedule> plans_;
  /// picoseconds of the first limit's result
  int64_t firstTime_ = 0;
  /// the best one of the last limit
  std::optional<Attempt> attempt_;
};

/// Runs the beam, which assumes a machine without contention; with contention, a replay evaluates its result.
std::optional<Schedule> Search::askBeam(int64_t limit) const {
  if (options_.beamWidth == 0)
    return std::nullopt;
  std::optional<BeamResult> found = beam(problem_, {limit, options_.beamWidth});
  if (!found)
    return std::nullopt;
  if (!problem_.crowding.empty())
    found->schedule.picoseconds = timeOf(problem_, found->schedule);
  return std::move(found->schedule);
}

/// Returns the fastest of all orders without buckets, if a beam can visit them all with and without the budget.
std::optional<Schedule> Search::findOptimum() const {
  if (options_.beamWidth == 0 || !problem_.crowding.empty())
    return std::nullopt;
  std::optional<BeamResult> found = beam(problem_, {unlimited, options_.beamWidth});
  bool isSmall = found && found->optimal;
  if (isSmall && found->schedule.peakBytes > options_.budget)
    found = beam(problem_, {options_.budget, options_.beamWidth});
  if (!isSmall || !found || !found->optimal)
    return std::nullopt;
  return std::move(found->schedule);
}

/// Runs trial schedules. The first limit is one of full effort, so a brief search has an earlier result.
Schedule Search::tryUnder(const MemoryLimit &limit) {
  LimitResult found = limit.effort == Effort::Brief
                          ? searchBriefly(problem_, starts_, limit.bytes, *attempt_)
                          : searchUnder(problem_, starts_, {limit.bytes, options_.maxWalks, 0});
  attempt_ = found.attempt;
  return std::move(found.schedule);
}

/// Improves the result of the trial schedules under this limit.
Schedule Search::improved(Schedule best, const MemoryLimit &limit) const {
  auto consider = [&](Schedule schedule) {
    if (rankUnder(limit.bytes, schedule) < rankUnder(limit.bytes, best))
      best = std::move(schedule);
  };
  if (limit.effort == Effort::Full && !optimum_)
    if (std::optional<Schedule> found = askBeam(limit.bytes))
      consider(std::move(*found));
  consider(measured(problem_, fillStalls(problem_, best, limit.bytes)));
  return robust(problem_, std::move(best), {limit.bytes, options_.maxWalks / walksPerCut});
}

std::vector<MemoryLimit> Search::limits() const {
  int64_t reference = options_.referencePeak.value_or(starts_.schedules().front().peakBytes);
  return memoryLimits({starts_.floor(), starts_.leastPeak(), reference}, options_.budget);
}

/// Returns the fastest result of all limits.
Schedule Search::climb() {
  std::optional<Schedule> best;
  std::vector<MemoryLimit> all = limits();
  for (const MemoryLimit &limit : all) {
    Schedule found = tryUnder(limit);
    if (&limit == &all.back())
      starts_.releaseBases(); // what follows needs much memory of its own
    found = improved(std::move(found), limit);
    if (!best)
      firstTime_ = found.picoseconds;
    if (!best || rankUnder(options_.budget, found) <= rankUnder(options_.budget, *best))
      best = std::move(found);
    else if (limit.effort == Effort::Full && limit.bytes <= options_.budget)
      best = robust(problem_, std::move(*best), {limit.bytes, 0}); // with the memory of this limit, and no slower
  }
  return std::move(*best);
}

void Search::addPlan(Schedule plan) {
  plan.peakBytes = memoryPeak(problem_, plan).bytes;
  if (plan.peakBytes > options_.budget)
    return;
  plan.picoseconds = timeOf(problem_, plan);
  plans_.push_back(std::move(plan));
}

void Search::addPlans() {
  if (std::optional<Schedule> plan = simplePlan(problem_, starts_.bases().front()->tasks))
    addPlan(std::move(*plan));
  for (const Preferences &known : options_.known)
    addPlan(arrange(problem_, known));
}

// A plan that is nearly as fast as the first result is made robust, within its own peak. Neither that peak nor the
// first limit depends on the budget, so a plan is the same schedule under every budget that it fits.
Schedule Search::bestOfPlans(Schedule best) {
  for (Schedule &plan : plans_) {
    const int64_t peak = plan.peakBytes;
    if (plan.picoseconds < firstTime_ + firstTime_ / nearPart)
      plan = robust(problem_, std::move(plan), {peak, 0});
    if (rankUnder(options_.budget, plan) < rankUnder(options_.budget, best))
      best = std::move(plan);
  }
  return best;
}

Schedule Search::run() {
  optimum_ = findOptimum();
  addPlans();
  Schedule best = bestOfPlans(climb());
  if (optimum_ && rankUnder(options_.budget, *optimum_) < rankUnder(options_.budget, best))
    return robust(problem_, std::move(*optimum_), {options_.budget, 0});
  return best;
}

} // namespace

unsigned affordableWalks(size_t steps, unsigned most) {
  const size_t fitting = mostVisits / std::max<size_t>(steps, 1);
  return static_cast<unsigned>(std::min<size_t>(most, std::max<size_t>(fitting, fewWalks)));
}

Schedule search(const Problem &problem, const SearchOptions &options) { return Search(problem, options).run(); }

} // namespace ccgraph::overlap
