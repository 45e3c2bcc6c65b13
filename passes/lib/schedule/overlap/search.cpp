#include "schedule/overlap/search.h"

#include "schedule/overlap/beam.h"
#include "schedule/overlap/fill_stalls.h"
#include "schedule/overlap/limit_search.h"
#include "schedule/overlap/memory_limits.h"
#include "schedule/overlap/ordered_tasks.h"
#include "schedule/overlap/rebalance.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/robust_schedule.h"
#include "schedule/overlap/simple_plan.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>

namespace ccgraph::overlap {

namespace {

/// Each split that is tried costs about as much as half a trial schedule.
constexpr unsigned walksPerCut = 2;
/// Trial schedules beyond the first few visit at most so many steps, since more change little and would take a minute
/// for 36,000 nodes. All captured steps are small enough for 190.
constexpr size_t mostVisits = 1'800'000;
constexpr unsigned fewWalks = 16;
/// All changes of buckets under one limit visit at most so many steps.
constexpr size_t mostVisitsOfChanges = 300'000;
/// A program of fewer steps is searched on one thread: it takes about as long as the start of threads.
constexpr size_t fewSteps = 256;
/// A plan is made robust if it is slower by less than this part.
constexpr int64_t nearPart = 20;

/// An improved schedule.
struct Improvement {
  Schedule schedule;
  /// under each of these limits, the improvement of the same schedule is the same
  BudgetRange limits;
};
using SharedImprovement = std::shared_ptr<const Improvement>;
using Improvements = OrderedTasks<SharedImprovement>;

/// The last schedule that was improved under limits of one effort.
struct LastImproved {
  Schedule found;
  std::shared_future<SharedImprovement> improvement;
};

class Search {
public:
  Search(const Problem &problem, const SearchOptions &options, TrialRecord &record)
      : problem_(problem), options_(effectiveOptions(problem, options)), starts_(problem), record_(record) {
    // No order fits the budget, so the least memory that is known takes its place.
    if (options_.budget < starts_.floor())
      options_.budget = starts_.leastPeak();
  }
  /// Returns the results of all budgets in ascending order; the last one is that of the options.
  std::vector<BudgetResult> run();

private:
  [[nodiscard]] std::vector<MemoryLimit> limits() const;
  [[nodiscard]] Schedule tryUnder(const MemoryLimit &limit);
  [[nodiscard]] unsigned mostChanges() const;
  [[nodiscard]] Improvement improved(Schedule schedule, const MemoryLimit &limit) const;
  [[nodiscard]] std::optional<Schedule> askBeam(int64_t limit) const;
  void findOptimum();
  [[nodiscard]] Schedule optimumWithin(int64_t budget, Schedule best) const;
  void addImprovement(Improvements &improvements, Schedule found, const MemoryLimit &limit);
  void climb();
  void finish(const MemoryLimit &limit, Schedule found);
  void add(const MemoryLimit &limit, Schedule found);
  void replaceBest(Schedule schedule);
  void takeFitting();
  void addPlan(Schedule plan);
  void addPlans();
  void improvePlans();
  [[nodiscard]] BudgetResult resultWithin(int64_t budget) const;

  const Problem &problem_;
  SearchOptions options_;
  Starts starts_;
  TrialRecord &record_;
  /// with any memory, of a program that is small enough to visit all orders
  std::optional<Schedule> optimum_;
  /// those that fit the budget
  std::vector<Schedule> plans_;
  /// picoseconds of the first limit's result
  int64_t firstTime_ = 0;
  /// the best one of the last limit
  std::optional<Attempt> attempt_;
  /// by effort
  std::array<LastImproved, 2> last_;
  /// The largest limit so far, at most the budget. What is found up to a limit does not depend on the budget.
  MemoryLimit reached_;
  /// the best result within these bytes
  std::optional<Schedule> best_;
  /// results that need more
  std::vector<Schedule> larger_;
  std::vector<BudgetResult> results_;
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

/// Finds the fastest of all orders without buckets, if a beam can visit them all.
void Search::findOptimum() {
  if (options_.beamWidth == 0 || !problem_.crowding.empty())
    return;
  std::optional<BeamResult> found = beam(problem_, {unlimited, options_.beamWidth});
  if (found && found->optimal)
    optimum_ = std::move(found->schedule);
}

/// Returns the fastest of all orders within the budget if it is faster than the best schedule, which is returned else.
Schedule Search::optimumWithin(int64_t budget, Schedule best) const {
  std::optional<Schedule> optimum = optimum_;
  if (optimum && optimum->peakBytes > budget)
    optimum = askBeam(budget);
  if (!optimum || rankUnder(budget, *optimum) >= rankUnder(budget, best))
    return best;
  return robust(problem_, std::move(*optimum), {budget, 0});
}

/// Runs trial schedules. The first limit is one of full effort, so a brief search has an earlier result.
Schedule Search::tryUnder(const MemoryLimit &limit) {
  LimitResult found = limit.effort == Effort::Brief
                          ? searchBriefly(problem_, {starts_, record_}, limit.bytes, *attempt_)
                          : searchUnder(problem_, {starts_, record_}, {limit.bytes, options_.maxWalks, 0});
  attempt_ = found.attempt;
  return std::move(found.schedule);
}

/// Returns how many changes of buckets are tried under a limit: none in a search of few trial schedules, which must be
/// fast.
unsigned Search::mostChanges() const {
  if (options_.maxWalks <= fewWalks)
    return 0;
  const size_t fitting = mostVisitsOfChanges / std::max<size_t>(problem_.steps.size(), 1);
  return static_cast<unsigned>(std::min<size_t>(options_.maxWalks / walksPerCut, fitting));
}

/// Improves the result of the trial schedules under this limit.
Improvement Search::improved(Schedule best, const MemoryLimit &limit) const {
  Improvement result;
  const Budget budget(limit.bytes, &result.limits);
  auto consider = [&](Schedule schedule) {
    if (rankUnder(budget, schedule) < rankUnder(budget, best))
      best = std::move(schedule);
  };
  if (limit.effort == Effort::Full && !optimum_)
    if (std::optional<Schedule> found = askBeam(limit.bytes)) {
      result.limits = {limit.bytes, limit.bytes + 1};
      consider(std::move(*found));
    }
  consider(measured(problem_, fillStalls(problem_, best, budget)));
  if (limit.effort == Effort::Full)
    best = rebalance(problem_, std::move(best), {budget, mostChanges()});
  result.schedule = robust(problem_, std::move(best), {budget, options_.maxWalks / walksPerCut});
  return result;
}

std::vector<MemoryLimit> Search::limits() const {
  int64_t reference = options_.referencePeak.value_or(starts_.schedules().front().peakBytes);
  return memoryLimits({starts_.floor(), starts_.leastPeak(), reference}, options_.budget);
}

/// Replaces the best result. The former one may need more than the limits so far, and be the best one of a later limit.
void Search::replaceBest(Schedule schedule) {
  if (best_ && best_->peakBytes > reached_.bytes)
    larger_.push_back(std::move(*best_));
  best_ = std::move(schedule);
}

/// Takes the results of smaller limits that fit the present one.
void Search::takeFitting() {
  auto fits = [&](const Schedule &it) { return it.peakBytes <= reached_.bytes; };
  auto fitting = std::stable_partition(larger_.begin(), larger_.end(), std::not_fn(fits));
  std::vector<Schedule> taken(std::make_move_iterator(fitting), std::make_move_iterator(larger_.end()));
  larger_.erase(fitting, larger_.end());
  for (Schedule &schedule : taken)
    if (rankUnder(reached_.bytes, schedule) < rankUnder(reached_.bytes, *best_))
      replaceBest(std::move(schedule));
}

/// Adds the result of a limit.
void Search::add(const MemoryLimit &limit, Schedule found) {
  if (limit.bytes > options_.budget)
    reached_ = {options_.budget, Effort::Brief}; // a result of this limit is not robust within the budget
  else if (limit.bytes > reached_.bytes)
    reached_ = limit;
  if (!best_) {
    firstTime_ = found.picoseconds;
    improvePlans();
    return replaceBest(std::move(found));
  }
  takeFitting();
  if (rankUnder(reached_.bytes, found) <= rankUnder(reached_.bytes, *best_))
    return replaceBest(std::move(found));
  if (found.peakBytes > reached_.bytes)
    larger_.push_back(std::move(found));
  if (limit.effort == Effort::Full && limit.bytes <= options_.budget)
    best_ = robust(problem_, std::move(*best_), {limit.bytes, 0}); // with the memory of this limit, and no slower
}

/// Adds the improved result of a limit, after the result of the limits so far is noted.
void Search::finish(const MemoryLimit &limit, Schedule found) {
  const bool isDone = best_ && limit.bytes > reached_.bytes;
  if (isDone && reached_.effort == Effort::Full && reached_.bytes >= starts_.leastPeak())
    results_.push_back(resultWithin(reached_.bytes));
  add(limit, std::move(found));
}

/// Adds the improvement of a schedule as a task. Neighbouring limits often have the same schedule, and its improvement
/// under the limit before may serve this one too.
void Search::addImprovement(Improvements &improvements, Schedule found, const MemoryLimit &limit) {
  LastImproved &last = last_[static_cast<size_t>(limit.effort)];
  std::shared_future<SharedImprovement> earlier;
  if (found.order == last.found.order && found.buckets == last.found.buckets)
    earlier = last.improvement;
  else
    last.found = found;
  last.improvement = improvements.add([this, limit, earlier, found = std::move(found)]() mutable {
    if (earlier.valid() && earlier.get()->limits.contains(limit.bytes))
      return earlier.get();
    return std::make_shared<const Improvement>(improved(std::move(found), limit));
  });
}

/// Visits all limits. The trial schedules of a limit begin with those of the limit before. Their improvement depends on
/// nothing else, and costs more, so other threads do it.
void Search::climb() {
  const std::vector<MemoryLimit> all = limits();
  Improvements improvements(problem_.steps.size() < fewSteps ? 1 : options_.threads);
  size_t finished = 0;
  auto finishNext = [&] { finish(all[finished++], improvements.take()->schedule); };
  for (const MemoryLimit &limit : all) {
    Schedule found = tryUnder(limit);
    if (&limit == &all.back())
      starts_.releaseBases(); // what follows needs much memory of its own
    addImprovement(improvements, std::move(found), limit);
    while (improvements.isFull())
      finishNext();
  }
  while (!improvements.empty())
    finishNext();
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
void Search::improvePlans() {
  for (Schedule &plan : plans_) {
    const int64_t peak = plan.peakBytes;
    if (plan.picoseconds < firstTime_ + firstTime_ / nearPart)
      plan = robust(problem_, std::move(plan), {peak, 0});
  }
}

/// Returns the best of the results so far, the plans and the optimum.
BudgetResult Search::resultWithin(int64_t budget) const {
  const Schedule *best = &*best_;
  for (const Schedule &plan : plans_)
    if (plan.peakBytes <= budget && rankUnder(budget, plan) < rankUnder(budget, *best))
      best = &plan;
  // The result of a limit of full effort is robust within this limit.
  const bool isDelayed = best == &*best_ && reached_.effort == Effort::Full && reached_.bytes == budget;
  return {budget, optimumWithin(budget, *best), isDelayed};
}

std::vector<BudgetResult> Search::run() {
  const int64_t budget = options_.budget;
  findOptimum();
  addPlans();
  climb();
  results_.push_back(resultWithin(budget));
  return std::move(results_);
}

} // namespace

unsigned affordableWalks(size_t steps, unsigned most) {
  const size_t fitting = mostVisits / std::max<size_t>(steps, 1);
  return static_cast<unsigned>(std::min<size_t>(most, std::max<size_t>(fitting, fewWalks)));
}

SearchOptions effectiveOptions(const Problem &problem, SearchOptions options) {
  options.maxWalks = affordableWalks(problem.steps.size(), options.maxWalks);
  if (!isSmallForBeam(problem))
    options.beamWidth = 0;
  return options;
}

Schedule search(const Problem &problem, const SearchOptions &options) {
  TrialRecord record;
  return search(problem, options, record);
}

Schedule search(const Problem &problem, const SearchOptions &options, TrialRecord &record) {
  return std::move(searchByBudget(problem, options, record).back().schedule);
}

std::vector<BudgetResult> searchByBudget(const Problem &problem, const SearchOptions &options, TrialRecord &record) {
  std::vector<BudgetResult> results = Search(problem, options, record).run();
  results.back().budget = options.budget; // the search takes a larger one if no order fits this one
  return results;
}

} // namespace ccgraph::overlap
