#include "ccgraph/passes/timeline.h"

#include "analysis/program_facts.h"
#include "ccgraph/ir/collective.h"
#include "schedule/overlap/graph_problem.h"
#include "schedule/overlap/replay.h"

namespace ccgraph {

Timeline predictTimeline(const Graph &graph, Analyses &analyses, const CostModel &costs) {
  const ProgramFacts &facts = analyses.facts();
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
    timeline.collectives.push_back({node.name().str().str(), overlap::streamName(groups, it.stream), it.bytes,
                                    replay.begin[step], replay.end[step], replay.exposedBy[step]});
  }
  return timeline;
}

} // namespace ccgraph
