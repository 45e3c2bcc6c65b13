#include "ccgraph/measured/match.h"

#include "ccgraph/ir/diagnostic.h"
#include "rank_steps.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace ccgraph::measured {
namespace {

llvm::Error rejectProfile(const RankProfile &profile, std::string message, std::string repair) {
  Diagnostic diagnostic = diagnose("measured.profile", std::move(message), std::move(repair));
  diagnostic.file = profile.origin;
  return makeError(std::move(diagnostic));
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
  }
  llvm_unreachable("no such rule");
}

llvm::Expected<MatchedJob> matchJob(const MatchRequest &request) {
  const GraphCalls graph(request.graph, request.provenance);
  MatchedJob job{graph.calls().vec(), {}, graph.hasKernelNames()};
  std::map<int64_t, RankSteps> ranks;
  for (size_t i = 0; i != request.profiles.size(); ++i) {
    const RankProfile &profile = request.profiles[i];
    const int64_t rank = profile.rank.value_or(static_cast<int64_t>(i));
    if (ranks.count(rank))
      return rejectProfile(
          profile, "this is a second trace of rank " + std::to_string(rank) + ", the first is " + ranks[rank].origin,
          "give one trace of each rank");
    const ProfileView view(profile, graph);
    FoundSteps found = findSteps({view, graph, request.graph.groups(), rank});
    const bool matchesNone =
        llvm::all_of(found.steps, [](const Step &step) { return matchedTime(step) == 0 && step.transfers.empty(); });
    if (matchesNone)
      return rejectProfile(profile,
                           "no event of this trace matches a node of graph '" + request.graph.name().str() + "'",
                           "give the graph that the job executed (--graph chooses one of a log)");
    for (std::string &note : found.notes)
      job.notes.push_back("rank " + std::to_string(rank) + ": " + note);
    ranks[rank] = {rank, profile.origin, view.onDevice(), std::move(found.steps)};
  }
  for (auto &[rank, steps] : ranks)
    job.ranks.push_back(std::move(steps));
  return job;
}

} // namespace ccgraph::measured
