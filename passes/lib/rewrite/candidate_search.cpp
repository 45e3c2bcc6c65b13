#include "rewrite/candidate_search.h"

namespace ccgraph {

CandidateSearch::CandidateSearch(const Graph &graph, PassContext &context, const CandidateReasons &reasons,
                                 const Form &form)
    : reasons_(reasons), facts_(context.analyses().facts()), groups_(graph, context.spmd()),
      dependences_(facts_, groups_), candidates_(graph, facts_, groups_, dependences_,
                                                 {form.layout, form.maxCopied, context.spmd(), context.bitwise()}) {}

const Reason *CandidateSearch::find(Node *launch, Candidate &candidate) {
  std::variant<Candidate, Obstacle> found = candidates_.find(launch);
  if (const Obstacle *obstacle = std::get_if<Obstacle>(&found))
    return &reasons_.of(*obstacle);
  candidate = std::get<Candidate>(found);
  return nullptr;
}

bool isSumOrAverage(const Node &launch) {
  if (collectiveOf(launch)->kind != CollectiveKind::AllReduce || !launch.type() || !launch.type()->isTensor())
    return false;
  std::optional<CollectiveCall> call = collectiveCall(launch);
  return call && (call->reduceOp == "sum" || call->reduceOp == "avg");
}

} // namespace ccgraph
