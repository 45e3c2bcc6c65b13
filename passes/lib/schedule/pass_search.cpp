#include "schedule/pass_search.h"

#include "schedule/overlap/limit_search.h"
#include "schedule/overlap/ordered_tasks.h"
#include "schedule/overlap/robust_schedule.h"
#include "schedule/overlap/trial_record.h"

namespace ccgraph {

static bool isThorough(const overlap::SearchOptions &options) {
  return options.maxWalks > usualWalks || options.beamWidth > usualBeam;
}

overlap::SearchOptions searchOptionsOf(const PassContext &context, Count walks, Count beam) {
  constexpr int64_t allWalks = 1000, widestBeam = 512;
  overlap::SearchOptions options = {
      context.memoryBudget().value_or(overlap::unlimited), static_cast<unsigned>(walks.limit.value_or(allWalks)),
      static_cast<size_t>(std::min(beam.limit.value_or(widestBeam), widestBeam)), context.inputPeak()};
  if (isThorough(options))
    options.threads = overlap::usefulThreads();
  return options;
}

namespace {

using Results = std::vector<overlap::BudgetResult>;

overlap::SearchOptions usualOptions(overlap::SearchOptions options) {
  options.maxWalks = std::min(options.maxWalks, usualWalks);
  options.beamWidth = std::min(options.beamWidth, usualBeam);
  return options;
}

/// Searches one program. The options are those that have an effect on it.
class ProgramSearch {
public:
  explicit ProgramSearch(const overlap::Problem &problem) : problem_(problem) {}
  /// Returns the results by budget, ascending; the last one is that of the options.
  [[nodiscard]] Results once(const overlap::SearchOptions &options);
  /// Returns the result within the budget.
  [[nodiscard]] overlap::Schedule schedule(const overlap::SearchOptions &options, Effort effort);

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

overlap::Schedule ProgramSearch::schedule(const overlap::SearchOptions &options, Effort effort) {
  overlap::Schedule longest = std::move(once(options).back().schedule);
  if (effort == Effort::Once || !isThorough(options))
    return longest;
  overlap::Schedule usual = std::move(once(usualOptions(options)).back().schedule);
  const bool isFaster = overlap::rankUnder(options.budget, usual) < overlap::rankUnder(options.budget, longest);
  return std::move(isFaster ? usual : longest);
}

/// Searches one program, and records the results.
class RecordedSearch {
public:
  RecordedSearch(SearchRecord &record, const ProgramSteps &program)
      : record_(record), search_(program.problem), program_(SearchRecord::keyOf(program.problem, program.nodes)) {}
  /// Each returns the key of the results.
  [[nodiscard]] std::string once(const overlap::SearchOptions &options);
  [[nodiscard]] std::string thoroughly(const overlap::SearchOptions &options);

private:
  SearchRecord &record_;
  ProgramSearch search_;
  std::string program_; ///< its key
};

std::string RecordedSearch::once(const overlap::SearchOptions &options) {
  std::string key = SearchRecord::keyOf(program_, options);
  if (!record_.find(key, options.budget))
    record_.add(key, search_.once(options));
  return key;
}

std::string RecordedSearch::thoroughly(const overlap::SearchOptions &options) {
  if (!isThorough(options))
    return once(options);
  std::string key = SearchRecord::keyOf(program_, options) + " thorough";
  if (!record_.find(key, options.budget))
    record_.addFaster(key, once(options), once(usualOptions(options)));
  return key;
}

} // namespace

overlap::Schedule searchSchedule(const overlap::Problem &problem, const overlap::SearchOptions &options) {
  return ProgramSearch(problem).schedule(overlap::effectiveOptions(problem, options), Effort::Once);
}

overlap::Schedule searchThoroughly(const overlap::Problem &problem, const overlap::SearchOptions &options) {
  return ProgramSearch(problem).schedule(overlap::effectiveOptions(problem, options), Effort::Thorough);
}

std::string recordSearch(SearchRecord &record, const ProgramSteps &program, const overlap::SearchOptions &options,
                         Effort effort) {
  const overlap::SearchOptions effective = overlap::effectiveOptions(program.problem, options);
  RecordedSearch search(record, program);
  return effort == Effort::Once ? search.once(effective) : search.thoroughly(effective);
}

overlap::Schedule searchRecorded(SearchRecord &record, const ProgramSteps &program,
                                 const overlap::SearchOptions &options, Effort effort) {
  if (!options.known.empty())
    return ProgramSearch(program.problem).schedule(overlap::effectiveOptions(program.problem, options), effort);
  return *record.find(recordSearch(record, program, options, effort), options.budget);
}

} // namespace ccgraph
