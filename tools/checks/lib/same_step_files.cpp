#include "ccgraph/checks/same_step_files.h"

#include "parallel_ranks.h"
#include "placed_doubts.h"

#include "ccgraph/checks/unplaced_steps.h"

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral rule = "same.input";

llvm::Expected<equality::StepAnswer> compareUnplaced(const StepFiles &files, const Graph &single,
                                                     ParallelRanks &ranks) {
  if (llvm::Error error = ranks.countRanks(files.ranks, {}))
    return error;
  UnplacedSteps steps{&single, {}, files.trials, files.seed};
  for (size_t rank = 0; rank != ranks.numRanks(); ++rank)
    steps.ranks.push_back({&ranks.graph(rank), ranks.groups(rank)});
  return compareUnplacedSteps(steps);
}

} // namespace

llvm::Expected<equality::StepAnswer> compareStepFiles(const StepFiles &files, Diagnostics &warnings) {
  ParallelRanks ranks(rule, warnings);
  llvm::Expected<std::unique_ptr<Graph>> single = ranks.readGraph(files.single);
  if (!single)
    return single.takeError();
  if (llvm::Error error = ranks.readFiles(files.parallel, files.groups))
    return error;
  if (files.placements.empty())
    return compareUnplaced(files, **single, ranks);
  llvm::Expected<StepPlacements> placements = ranks.readPlacements(files.placements, files.ranks);
  if (!placements)
    return placements.takeError();
  if (!ranks.stageProblem().empty())
    return undecidedStep(ranks.stageProblem());
  equality::StepComparison comparison;
  comparison.single = single->get();
  comparison.placements = std::move(*placements);
  comparison.trials = files.trials;
  comparison.seed = files.seed;
  comparison.sizes = files.sizes;
  for (size_t rank = 0; rank != ranks.numRanks(); ++rank)
    comparison.ranks.push_back({&ranks.graph(rank), ranks.groups(rank)});
  llvm::Expected<equality::StepAnswer> answer = equality::compareSteps(comparison);
  if (answer) {
    addPlacedDoubts(*answer, comparison);
    ranks.restore(*answer, false);
  }
  return answer;
}

} // namespace ccgraph
