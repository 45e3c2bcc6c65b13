#include "schedule/pass_search.h"

#include "schedule/overlap/limit_search.h"
#include "schedule/overlap/robust_schedule.h"

namespace ccgraph {

overlap::SearchOptions searchOptionsOf(const PassContext &context, Count walks, Count beam) {
  constexpr int64_t allWalks = 1000, widestBeam = 512;
  return {context.memoryBudget().value_or(overlap::unlimited), static_cast<unsigned>(walks.limit.value_or(allWalks)),
          static_cast<size_t>(std::min(beam.limit.value_or(widestBeam), widestBeam)), context.inputPeak()};
}

// The fastest schedule may have been found under a limit below the budget, within which its waits were delayed.
overlap::Schedule searchSchedule(const overlap::Problem &problem, const overlap::SearchOptions &options) {
  overlap::Schedule found = overlap::search(problem, options);
  overlap::Schedule whole = overlap::robust(problem, found, {options.budget, 0});
  return whole.picoseconds < found.picoseconds ? whole : found;
}

overlap::Schedule searchThoroughly(const overlap::Problem &problem, overlap::SearchOptions options) {
  overlap::Schedule longest = searchSchedule(problem, options);
  if (options.maxWalks <= usualWalks && options.beamWidth <= usualBeam)
    return longest;
  options.maxWalks = std::min(options.maxWalks, usualWalks);
  options.beamWidth = std::min(options.beamWidth, usualBeam);
  overlap::Schedule usual = searchSchedule(problem, options);
  return overlap::rankUnder(options.budget, usual) < overlap::rankUnder(options.budget, longest) ? usual : longest;
}

} // namespace ccgraph
