#include "ccgraph/measured/match.h"

#include "ccgraph/ir/diagnostic.h"
#include "step_sequence.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace ccgraph::measured {
namespace {

llvm::Error rejectProfile(const RankProfile &profile, std::string message, std::string repair) {
  Diagnostic diagnostic = diagnose("measured.profile", std::move(message), std::move(repair));
  diagnostic.file = profile.origin;
  return makeError(std::move(diagnostic));
}

/// Returns the rank of each profile.
llvm::Expected<std::vector<int64_t>> ranksOf(llvm::ArrayRef<RankProfile> profiles) {
  std::vector<int64_t> ranks;
  std::map<int64_t, const RankProfile *> seen;
  for (const RankProfile &profile : profiles) {
    ranks.push_back(profile.rank.value_or(static_cast<int64_t>(ranks.size())));
    auto [first, isNew] = seen.try_emplace(ranks.back(), &profile);
    if (!isNew)
      return rejectProfile(profile,
                           "this is a second trace of rank " + std::to_string(ranks.back()) + ", the first is " +
                               first->second->origin,
                           "give one trace of each rank");
  }
  return ranks;
}

/// Matches the given graphs as one program.
class ProgramMatcher {
public:
  ProgramMatcher(const MatchRequest &request, llvm::ArrayRef<int64_t> ranks)
      : request_(request), rankNumbers_(ranks), calls_(numbers_) {
    for (uint32_t i = 0; i != request.graphs.size(); ++i) {
      calls_.add(request.graphs[i], i, request.provenance);
      for (const Group &group : request.graphs[i].graph.groups().groups())
        if (!groups_.find(group.name))
          groups_.set(group);
    }
  }

  llvm::Expected<MatchedJob> run() {
    MatchedJob job{calls_.calls().vec(), {}, {}, calls_.hasKernelNames(), {}};
    for (size_t i = 0; i != request_.profiles.size(); ++i)
      if (llvm::Error error = addRank(request_.profiles[i], rankNumbers_[i], job))
        return error;
    if (request_.graphs.size() > 1)
      for (Call &call : job.calls)
        nameByGraph(call, request_.graphs[call.graph].label);
    llvm::sort(job.ranks, [](const RankSteps &a, const RankSteps &b) { return a.rank < b.rank; });
    return job;
  }

private:
  llvm::Error addRank(const RankProfile &profile, int64_t rank, MatchedJob &job) const {
    const ProfileView view(profile, calls_);
    FoundSteps found = findSteps({view, calls_, groups_, rank});
    const bool matchesNone =
        llvm::all_of(found.steps, [](const Step &step) { return matchedTime(step) == 0 && step.transfers.empty(); });
    if (matchesNone)
      return rejectProfile(profile,
                           "no event of this trace matches a node of graph '" +
                               request_.graphs.front().graph.name().str() + "'",
                           "give the graph that the job executed (--graph chooses one of a log)");
    for (std::string &note : found.notes)
      job.notes.push_back("rank " + std::to_string(rank) + ": " + note);
    job.ranks.push_back({rank, profile.origin, view.onDevice(), std::move(found.steps)});
    return llvm::Error::success();
  }

  const MatchRequest &request_;
  llvm::ArrayRef<int64_t> rankNumbers_;
  CallNumbers numbers_;
  GraphCalls calls_;
  GroupTable groups_;
};

bool namesNodes(const RankProfile &profile) {
  return llvm::any_of(profile.events, [](const ProfileEvent &event) { return event.node != noStatedNode; });
}

llvm::Expected<MatchedJob> matchByForm(const MatchRequest &request, llvm::ArrayRef<int64_t> ranks) {
  if (request.graphs.size() > 1) {
    for (const RankProfile &profile : request.profiles)
      if (namesNodes(profile))
        return rejectProfile(profile,
                             "this trace names the nodes of one graph, and " + std::to_string(request.graphs.size()) +
                                 " graphs are given",
                             "give the graph that was run");
    if (llvm::any_of(request.profiles, executesCompiled))
      return matchSequences(request, ranks);
  }
  return ProgramMatcher(request, ranks).run();
}

} // namespace

llvm::StringRef ruleName(Rule rule) {
  switch (rule) {
  case Rule::Stated:
    return "stated";
  case Rule::Kernel:
    return "kernel";
  case Rule::Operator:
    return "operator";
  case Rule::Collective:
    return "collective";
  case Rule::Wait:
    return "wait";
  case Rule::Order:
    return "order";
  }
  llvm_unreachable("no such rule");
}

llvm::Expected<MatchedJob> matchJob(const MatchRequest &request) {
  llvm::Expected<std::vector<int64_t>> ranks = ranksOf(request.profiles);
  if (!ranks)
    return ranks.takeError();
  llvm::Expected<MatchedJob> job = matchByForm(request, *ranks);
  if (!job)
    return job.takeError();
  for (const ExecutedGraph &graph : request.graphs)
    job->graphs.push_back(graph.label);
  for (RankSteps &rank : job->ranks)
    for (Step &step : rank.steps)
      llvm::stable_sort(step.rest, [](const Unmatched &a, const Unmatched &b) { return a.begin < b.begin; });
  return job;
}

} // namespace ccgraph::measured
