#include "schedule/overlap/search.h"

#include "schedule/overlap/beam.h"
#include "schedule/overlap/budget_ladder.h"
#include "schedule/overlap/explorer.h"
#include "schedule/overlap/fill_stalls.h"
#include "schedule/overlap/frugal_order.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/sturdy.h"

#include <algorithm>
#include <memory>

namespace ccgraph::overlap {

namespace {

/// Each cut that is tried costs about as much as half a walk.
constexpr unsigned walksPerCut = 2;
/// Under each limit but the first: one part in so many of all walks.
constexpr unsigned laterParts = 4;

class Search {
public:
  Search(const Problem &problem, const SearchOptions &options) : problem_(problem), options_(options) {}
  Schedule run();

private:
  void begin();
  void addStarts(FrugalOrder frugal, Schedule standing);
  void climb();
  void lookUnder(Limit limit);
  void fill(int64_t limit);
  void finish(int64_t bytes);
  void askBeam();

  const Problem &problem_;
  /// `budget` is what the result is held to
  SearchOptions options_;
  KnownPeaks peaks_;
  std::vector<Limit> limits_;
  std::optional<SchedulePool> pool_;
  std::unique_ptr<Explorer> explorer_;
  /// the last limit left nothing to gain from more memory
  bool isAmple_ = false;
  /// the result under the limits so far, and picoseconds of the last schedule that was made sturdy, before that
  std::optional<Schedule> finished_;
  int64_t finishedTime_ = unlimited;
  /// bytes that the result was given
  int64_t finishedFor_ = 0;
};

void Search::begin() {
  FrugalOrder frugal = frugalOrder(problem_); // first, because it needs much memory for a moment
  Schedule standing = asItStands(problem_);
  Replay now = replay(problem_, standing);
  standing.picoseconds = now.total;
  standing.peakBytes = now.peakBytes;
  // Where no order fits the budget, the least that is known takes its place.
  if (options_.budget < frugal.floor)
    options_.budget = frugal.peak;
  peaks_ = {frugal.peak, now.peakBytes};
  limits_ = budgetLadder(peaks_, options_.budget);
  pool_.emplace(options_.budget, limits_.back().bytes);
  explorer_ = std::make_unique<Explorer>(problem_, now.compute, *pool_);
  addStarts(std::move(frugal), std::move(standing));
}

/// The program as it stands, and the order that needs least memory.
void Search::addStarts(FrugalOrder frugal, Schedule standing) {
  explorer_->addBase(std::make_unique<Base>(problem_));
  bool isStanding = frugal.order == standing.order;
  pool_->add(std::move(standing));
  if (isStanding)
    return;
  Schedule schedule;
  schedule.order = frugal.order;
  explorer_->addBase(std::make_unique<Base>(problem_, std::move(frugal.order)));
  pool_->add(measured(problem_, std::move(schedule)));
}

/// The best schedule with computation moved into its stalls.
void Search::fill(int64_t limit) {
  const Schedule *best = pool_->fastest(limit);
  if (!best)
    return;
  Schedule filled = measured(problem_, fillStalls(problem_, *best, limit));
  isAmple_ &= !filled.isLimited;
  pool_->add(std::move(filled));
}

void Search::lookUnder(Limit limit) {
  pool_->setLimit(limit.bytes);
  if (limit.isThorough)
    explorer_->explore(limit.bytes, options_.maxWalks);
  else
    explorer_->exploreOn(limit.bytes, std::max(1U, options_.maxWalks / laterParts));
  isAmple_ = limit.isThorough && !explorer_->wasLimited();
}

// A cut costs up to half a percent of the step as planned. So that a larger budget never pays more for that than it gains, the
// result of each limit is made sturdy, and no later one is slower.
/// Makes the best schedule that fits sturdy, if it was not, and gives the result of the limit before the memory of this one.
void Search::finish(int64_t bytes) {
  int64_t slowest = unlimited;
  if (finished_) {
    if (std::exchange(finishedFor_, bytes) < bytes)
      finished_ = sturdy(problem_, std::move(*finished_), {bytes, unlimited, 0});
    slowest = finished_->picoseconds;
  }
  const Schedule *best = pool_->fastest(bytes);
  if (!best || best->picoseconds >= finishedTime_)
    return;
  finishedTime_ = best->picoseconds;
  Schedule made = sturdy(problem_, *best, {bytes, slowest, options_.maxWalks / walksPerCut});
  if (made.picoseconds <= slowest)
    finished_ = std::move(made);
  finishedFor_ = bytes;
}

/// Under each limit, the lowest first, until more memory changes nothing.
void Search::climb() {
  bool hasPlans = false;
  for (Limit limit : limits_) {
    if (limit.bytes > peaks_.program && !std::exchange(hasPlans, true))
      explorer_->exploreSimplePlans();
    lookUnder(limit);
    if (limit.bytes >= options_.budget) {
      explorer_.reset(); // no walk follows, and what follows needs much memory of its own
      askBeam();
    }
    fill(limit.bytes);
    finish(std::min(limit.bytes, options_.budget));
    if (explorer_ && isAmple_)
      break;
  }
  if (explorer_) {
    askBeam();
    finish(options_.budget);
  }
}

void Search::askBeam() {
  if (options_.beamWidth == 0)
    return;
  std::optional<BeamResult> found = beam(problem_, {options_.budget, options_.beamWidth});
  if (!found)
    return;
  if (!problem_.crowding.empty()) // a beam takes the machine for a perfect one
    found->schedule.picoseconds = replayTimes(problem_, found->schedule).total;
  pool_->add(std::move(found->schedule));
}

Schedule Search::run() {
  begin();
  climb();
  explorer_.reset();
  if (finished_)
    return std::move(*finished_);
  return sturdy(problem_, pool_->smallest(), {options_.budget, unlimited, options_.maxWalks / walksPerCut});
}

} // namespace

Schedule search(const Problem &problem, const SearchOptions &options) { return Search(problem, options).run(); }

} // namespace ccgraph::overlap
