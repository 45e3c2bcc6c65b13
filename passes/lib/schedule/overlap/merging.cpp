#include "schedule/overlap/merging.h"

namespace ccgraph::overlap {

llvm::DenseMap<uint32_t, Candidate> allowMerging(GraphProblem &given, const Graph &graph,
                                                 const GraphProblemOptions &options, bool bitwise) {
  llvm::DenseMap<uint32_t, Candidate> found;
  Candidates candidates(graph, options.facts, options.groups, options.dependences,
                        {BucketLayout::Grouped, std::nullopt, options.spmd, bitwise});
  for (uint32_t step = 0; step < given.nodes.size(); ++step) {
    Step &it = given.problem.steps[step];
    if (it.kind != StepKind::Launch || it.fixed || !collectiveOf(*given.nodes[step]))
      continue;
    std::variant<Candidate, Obstacle> answer = candidates.find(given.nodes[step]);
    if (const Candidate *candidate = std::get_if<Candidate>(&answer)) {
      it.mergeKey = candidate->key;
      found[step] = *candidate;
    }
  }
  return found;
}

} // namespace ccgraph::overlap
