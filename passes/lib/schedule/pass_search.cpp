#include "schedule/pass_search.h"

#include "schedule/overlap/limit_search.h"
#include "schedule/overlap/robust_schedule.h"
#include "schedule/overlap/trial_record.h"

namespace ccgraph {

overlap::SearchOptions searchOptionsOf(const PassContext &context, Count walks, Count beam) {
  constexpr int64_t allWalks = 1000, widestBeam = 512;
  return {context.memoryBudget().value_or(overlap::unlimited), static_cast<unsigned>(walks.limit.value_or(allWalks)),
          static_cast<size_t>(std::min(beam.limit.value_or(widestBeam), widestBeam)), context.inputPeak()};
}

namespace {

using Results = std::vector<overlap::BudgetResult>;

/// Searches one program.
class ProgramSearch {
public:
  explicit ProgramSearch(const overlap::Problem &problem) : problem_(problem) {}
  /// Returns the results by budget, ascending; the last one is that of the options.
  [[nodiscard]] Results once(const overlap::SearchOptions &options);
  [[nodiscard]] Results thoroughly(overlap::SearchOptions options);
  [[nodiscard]] Results results(const overlap::SearchOptions &options, Effort effort) {
    return effort == Effort::Once ? once(options) : thoroughly(options);
  }

private:
  [[nodiscard]] overlap::Schedule delayed(overlap::Schedule found, int64_t budget) const;

  const overlap::Problem &problem_;
  overlap::TrialRecord trials_;
};

// The fastest schedule may have been found under a limit below the budget, within which its waits were delayed.
overlap::Schedule ProgramSearch::delayed(overlap::Schedule found, int64_t budget) const {
  overlap::Schedule whole = overlap::robust(problem_, found, {budget, 0});
  return whole.picoseconds < found.picoseconds ? whole : found;
}

Results ProgramSearch::once(const overlap::SearchOptions &options) {
  Results results = overlap::searchByBudget(problem_, options, trials_);
  for (overlap::BudgetResult &result : results)
    if (!result.isDelayed)
      result.schedule = delayed(std::move(result.schedule), result.budget);
  return results;
}

bool isThorough(const overlap::SearchOptions &options) {
  return options.maxWalks > usualWalks || options.beamWidth > usualBeam;
}

Results ProgramSearch::thoroughly(overlap::SearchOptions options) {
  Results longest = once(options);
  if (!isThorough(options))
    return longest;
  options.maxWalks = std::min(options.maxWalks, usualWalks);
  options.beamWidth = std::min(options.beamWidth, usualBeam);
  Results usual = once(options);
  // Both have the same budgets.
  for (size_t i = 0; i < longest.size(); ++i)
    if (const int64_t budget = longest[i].budget;
        overlap::rankUnder(budget, usual[i].schedule) < overlap::rankUnder(budget, longest[i].schedule))
      longest[i].schedule = std::move(usual[i].schedule);
  return longest;
}

} // namespace

overlap::Schedule searchSchedule(const overlap::Problem &problem, const overlap::SearchOptions &options) {
  return std::move(ProgramSearch(problem).once(options).back().schedule);
}

overlap::Schedule searchThoroughly(const overlap::Problem &problem, const overlap::SearchOptions &options) {
  return std::move(ProgramSearch(problem).thoroughly(options).back().schedule);
}

std::string recordSearch(SearchRecord &record, const ProgramSteps &program, const overlap::SearchOptions &options,
                         Effort effort) {
  std::string key = SearchRecord::keyOf(program.problem, program.nodes, options);
  key += effort == Effort::Thorough && isThorough(options) ? "+" : "";
  if (!record.find(key, options.budget))
    record.add(key, ProgramSearch(program.problem).results(options, effort));
  return key;
}

overlap::Schedule searchRecorded(SearchRecord &record, const ProgramSteps &program,
                                 const overlap::SearchOptions &options, Effort effort) {
  if (!options.known.empty())
    return std::move(ProgramSearch(program.problem).results(options, effort).back().schedule);
  return *record.find(recordSearch(record, program, options, effort), options.budget);
}

} // namespace ccgraph
