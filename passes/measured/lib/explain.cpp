#include "ccgraph/measured/explain.h"

#include "accounts.h"
#include "ccgraph/ir/text.h"
#include "mends.h"
#include "step_timeline.h"

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

bool isOfOrder(const MatchedShare &rule) { return rule.name == ruleName(Rule::Order); }

bool isKernel(const MatchedShare &event) {
  llvm::StringRef name = event.name;
  return name.startswith("triton_") || name.contains("cpp_fused_");
}

/// States why little is matched. Requires the shares of rules and events.
void noteShares(const MatchedJob &job, JobExplanation &explanation) {
  const bool hasKernels = llvm::any_of(explanation.rules, isOfOrder) || llvm::any_of(explanation.unmatched, isKernel);
  if (hasKernels && !job.hasKernelNames)
    explanation.notes.push_back("no file states the nodes of Inductor's kernels: compile with TORCH_TRACE and "
                                "torch._inductor.config.trace.provenance_tracking_level=1");
  const int64_t matched = explanation.matchedTime(), all = matched + explanation.unmatchedTime();
  if (matched < all - matched)
    explanation.notes.push_back("less than half of the time is matched, so this may not be the graph that the job "
                                "executed (--graph chooses another one of a log)");
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
    explanation.notes.push_back("no trace of " + ranksText({missing.begin(), missing.end()}) +
                                ", so waiting for it counts as the time of the data");
  if (differ)
    explanation.notes.push_back("the traces have different numbers of steps, so the first " +
                                std::to_string(lanes.steps) + " of each are compared");
  if (!lanes.aligned)
    explanation.notes.push_back("some ranks have no collective in common, so their clocks are not compared");
}

/// Delays that differ from step to step are in no median, so the replay has less of them than a step.
void noteReplay(JobExplanation &explanation) {
  constexpr int64_t tenth = 10;
  const int64_t difference = explanation.period - explanation.replayed;
  if (explanation.replayed == 0 || difference * tenth <= explanation.period)
    return;
  const int64_t percent = difference * 100 / explanation.period;
  explanation.notes.push_back("delays that differ from step to step take " + std::to_string(percent) +
                              " % of the time; what a change would save leaves them out");
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
  explanation.graphs = graphAccounts(job, lanes);
  explanation.timeline = timelineOf(job, lanes, explanation.collectives);
  noteShares(job, explanation);
  addMends(job, lanes, explanation);
  noteReplay(explanation);
  return explanation;
}

} // namespace ccgraph::measured
