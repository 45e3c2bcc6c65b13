#include "ccgraph/passes/timeline.h"

#include "analysis/program_facts.h"
#include "ccgraph/ir/collective.h"
#include "schedule/overlap/graph_problem.h"
#include "schedule/overlap/replay.h"

namespace ccgraph {

Timeline predictTimeline(const Graph &graph, const CostModel &costs) {
  ProgramFacts facts(graph);
  CommGroups groups(graph, true);
  overlap::GraphProblem given = overlap::timesOf(graph, facts, groups, costs);
  overlap::Replay replay = overlap::replay(given.problem, overlap::asItStands(given.problem));
  Timeline timeline;
  timeline.total = replay.total;
  timeline.compute = replay.compute;
  timeline.exposed = replay.exposed;
  for (uint32_t step = 0; step < given.nodes.size(); ++step) {
    const overlap::Step &it = given.problem.steps[step];
    if (it.kind != overlap::StepKind::Launch)
      continue;
    const Node &node = *given.nodes[step];
    timeline.collectives.push_back({node.name().str().str(), groups.id(it.stream).text, it.bytes, replay.begin[step],
                                    replay.end[step], replay.exposedBy[step]});
  }
  return timeline;
}

std::vector<CollectiveTime> mostExposed(const Timeline &timeline, size_t count) {
  std::vector<CollectiveTime> exposed;
  for (const CollectiveTime &collective : timeline.collectives)
    if (collective.exposed > 0)
      exposed.push_back(collective);
  llvm::stable_sort(exposed, [](const CollectiveTime &a, const CollectiveTime &b) { return a.exposed > b.exposed; });
  exposed.resize(std::min(count, exposed.size()));
  return exposed;
}

} // namespace ccgraph
