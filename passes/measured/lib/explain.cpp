#include "ccgraph/measured/explain.h"

#include "accounts.h"
#include "mends.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace ccgraph::measured {
namespace {

int64_t sumOf(llvm::ArrayRef<MatchedShare> shares) {
  int64_t sum = 0;
  for (const MatchedShare &share : shares)
    sum += share.nanoseconds;
  return sum;
}

/// Adds the median time of an execution, and from one step to the next.
void addStepTimes(const MatchedJob &job, const JobLanes &lanes, JobExplanation &explanation) {
  std::vector<int64_t> durations, periods;
  for (const RankSteps &rank : job.ranks)
    for (size_t i = 0; i != rank.steps.size(); ++i) {
      durations.push_back(rank.steps[i].end - rank.steps[i].begin);
      if (i + 1 < lanes.steps)
        periods.push_back(rank.steps[i + 1].begin - rank.steps[i].begin);
    }
  explanation.step = medianOf(std::move(durations));
  explanation.period = periods.empty() ? explanation.step : medianOf(std::move(periods));
}

std::string ranksText(const std::set<int64_t> &ranks) {
  std::string text;
  for (int64_t rank : ranks)
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return (ranks.size() == 1 ? "rank " : "ranks ") + text;
}

/// States what the traces lack.
void addNotes(const MatchedJob &job, const JobLanes &lanes, JobExplanation &explanation) {
  explanation.notes = job.notes;
  std::set<int64_t> known, missing;
  bool differ = false;
  for (const RankSteps &rank : job.ranks) {
    known.insert(rank.rank);
    differ |= rank.steps.size() != lanes.steps;
  }
  for (const RankSteps &rank : job.ranks)
    for (const Step &step : rank.steps)
      for (const Transfer &transfer : step.transfers)
        for (int64_t member : transfer.members)
          if (!known.count(member))
            missing.insert(member);
  if (!missing.empty())
    explanation.notes.push_back("no trace of " + ranksText(missing) +
                                ", so waiting for it counts as the time of the data");
  if (differ)
    explanation.notes.push_back("the traces have different numbers of steps, so the first " +
                                std::to_string(lanes.steps) + " of each are compared");
  if (!lanes.aligned)
    explanation.notes.push_back("some ranks have no collective in common, so their clocks are not compared");
}

} // namespace

int64_t JobExplanation::matchedTime() const { return sumOf(rules); }
int64_t JobExplanation::unmatchedTime() const { return sumOf(unmatched); }

JobExplanation explainJob(const MatchedJob &job) {
  const JobLanes lanes = lanesOf(job);
  JobExplanation explanation;
  explanation.steps = lanes.steps;
  explanation.onDevice = llvm::any_of(job.ranks, [](const RankSteps &rank) { return rank.onDevice; });
  addStepTimes(job, lanes, explanation);
  addShares(job, explanation);
  addNotes(job, lanes, explanation);
  explanation.ranks = rankAccounts(job, lanes);
  explanation.collectives = collectiveAccounts(job, lanes);
  explanation.durations = nodeTimes(job, lanes);
  addMends(job, lanes, explanation);
  return explanation;
}

} // namespace ccgraph::measured
