#include "schedule/overlap/merging.h"

namespace ccgraph::overlap {

namespace {

/// By storage: some node changes the shape of a value in it. Because the elements of a bucket are taken from its list by
/// nodes that read shapes, and stand where the waits stand, which may be behind such a node.
std::vector<bool> reshapedStorages(const GraphProblem &given, const ProgramFacts &facts) {
  std::vector<bool> reshaped(facts.storages().numStorages());
  for (const Node *node : given.nodes)
    for (const StorageAccess &access : facts.accesses(node))
      if (has(access.access, Access::Reshape))
        reshaped[access.storage] = true;
  return reshaped;
}

} // namespace

llvm::DenseMap<uint32_t, Candidate> allowMerging(GraphProblem &given, const Graph &graph,
                                                 const GraphProblemOptions &options, bool bitwise) {
  llvm::DenseMap<uint32_t, Candidate> found;
  Candidates candidates(graph, options.facts, options.groups, options.dependences,
                        {BucketLayout::Grouped, std::nullopt, options.spmd, bitwise});
  std::vector<bool> reshaped = reshapedStorages(given, options.facts);
  auto isReshaped = [&](const Node *launch) {
    return llvm::any_of(options.facts.storages().storages(launch), [&](StorageId id) { return reshaped[id]; });
  };
  for (uint32_t step = 0; step < given.nodes.size(); ++step) {
    Step &it = given.problem.steps[step];
    if (it.kind != StepKind::Launch || it.fixed || !collectiveOf(*given.nodes[step]))
      continue;
    if (isReshaped(given.nodes[step]))
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
