#include "schedule/chunks/chunk_trial.h"

#include "schedule/overlap/bound.h"
#include "schedule/overlap/program_problem.h"
#include "schedule/overlap/replay.h"

namespace ccgraph {

namespace {

/// Returns the region of the copy; nodes keep their names.
ChunkRegion inCopy(const ChunkRegion &region, const Graph &copy) {
  auto twin = [&](const Node *node) { return copy.find(node->name().str()); };
  ChunkRegion same = region;
  same.launch = twin(region.launch);
  same.wait = twin(region.wait);
  same.anchor = region.anchor ? twin(region.anchor) : nullptr;
  for (Node *&node : same.products)
    node = twin(node);
  for (Node *&node : same.moves)
    node = twin(node);
  for (Node *&node : same.kept)
    node = twin(node);
  return same;
}

} // namespace

PredictedStep ChunkTrial::scheduleWhole() {
  overlap::ProgramProblem program(graph_, context_.analyses().facts(), context_.cost(),
                                  {context_.spmd(), context_.bitwise()});
  const overlap::GraphProblem &given = program.given();
  overlap::Schedule schedule = overlap::search(given.problem, searchOptionsOf(context_, walks_, beam_));
  overlap::Replay replay = overlap::replay(given.problem, schedule);
  exposed_.assign(graph_.idLimit(), 0);
  for (uint32_t step = 0; step < given.nodes.size(); ++step)
    exposed_[given.nodes[step]->id()] = replay.exposedBy[step];
  // The time of a bucket counts for its first member in the replay; each member may be cut.
  for (const std::vector<uint32_t> &bucket : schedule.buckets)
    for (uint32_t step : bucket)
      exposed_[given.nodes[step]->id()] = replay.exposedBy[bucket.front()];
  return {schedule.picoseconds, overlap::lowerBounds(given.problem).anyMerging.picoseconds};
}

std::optional<PredictedStep> ChunkTrial::schedule(llvm::ArrayRef<const ChunkPlan *> plans, int64_t limit) const {
  std::unique_ptr<Graph> copy = graph_.clone();
  std::unique_ptr<CostModel> costs = context_.cost().forCopy(graph_, *copy);
  for (const ChunkPlan *plan : plans) {
    RuleEntry entry;
    buildPieces(*copy, inCopy(plan->region, *copy), plan->choice.pieces, entry);
  }
  ProgramFacts facts(*copy);
  overlap::ProgramProblem program(*copy, facts, *costs, {context_.spmd(), context_.bitwise()});
  const overlap::Problem &problem = program.given().problem;
  const int64_t bound = overlap::lowerBounds(problem).anyMerging.picoseconds;
  if (bound >= limit)
    return std::nullopt;
  overlap::Schedule schedule = overlap::search(problem, searchOptionsOf(context_, walks_, beam_));
  const bool fits = schedule.peakBytes <= context_.memoryBudget().value_or(overlap::unlimited);
  return fits ? std::optional(PredictedStep{schedule.picoseconds, bound}) : std::nullopt;
}

} // namespace ccgraph
