#include "schedule/overlap/search.h"

#include "schedule/overlap/beam.h"
#include "schedule/overlap/fill_stalls.h"
#include "schedule/overlap/limit_search.h"
#include "schedule/overlap/memory_limits.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/robust_schedule.h"

#include <optional>

namespace ccgraph::overlap {

namespace {

/// Each split that is tried costs about as much as half a trial schedule.
constexpr unsigned walksPerCut = 2;

class Search {
public:
  Search(const Problem &problem, const SearchOptions &options)
      : problem_(problem), options_(options), starts_(problem) {
    // No order fits the budget, so the least memory that is known takes its place.
    if (options_.budget < starts_.floor())
      options_.budget = starts_.leastPeak();
  }
  Schedule run();

private:
  [[nodiscard]] Schedule under(int64_t limit);
  [[nodiscard]] std::optional<Schedule> askBeam(int64_t limit) const;

  const Problem &problem_;
  SearchOptions options_;
  Starts starts_;
};

/// Runs the beam, which assumes a machine without contention; with contention, a replay evaluates its result.
std::optional<Schedule> Search::askBeam(int64_t limit) const {
  if (options_.beamWidth == 0)
    return std::nullopt;
  std::optional<BeamResult> found = beam(problem_, {limit, options_.beamWidth});
  if (!found)
    return std::nullopt;
  if (!problem_.crowding.empty())
    found->schedule.picoseconds = replayTimes(problem_, found->schedule).total;
  return std::move(found->schedule);
}

/// Returns the result under this limit alone.
Schedule Search::under(int64_t limit) {
  Schedule best = searchUnder(problem_, starts_, {limit, options_.maxWalks, 0});
  if (limit == options_.budget)
    starts_.releaseBases(); // what follows needs much memory of its own
  auto consider = [&](Schedule schedule) {
    if (rankUnder(limit, schedule) < rankUnder(limit, best))
      best = std::move(schedule);
  };
  if (std::optional<Schedule> found = askBeam(limit))
    consider(std::move(*found));
  consider(measured(problem_, fillStalls(problem_, best, limit)));
  return robust(problem_, std::move(best), {limit, options_.maxWalks / walksPerCut});
}

Schedule Search::run() {
  std::optional<Schedule> best;
  int64_t reference = options_.referencePeak.value_or(starts_.schedules().front().peakBytes);
  for (int64_t limit : memoryLimits({starts_.floor(), reference}, options_.budget)) {
    Schedule found = under(limit);
    if (!best || rankUnder(limit, found) <= rankUnder(limit, *best))
      best = std::move(found);
    else
      best = robust(problem_, std::move(*best), {limit, 0}); // with the memory of this limit, and no slower
  }
  return std::move(*best);
}

} // namespace

Schedule search(const Problem &problem, const SearchOptions &options) { return Search(problem, options).run(); }

} // namespace ccgraph::overlap
