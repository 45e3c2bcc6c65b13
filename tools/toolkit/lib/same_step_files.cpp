#include "ccgraph/toolkit/same_step_files.h"

#include "parallel_ranks.h"

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral rule = "same.input";

llvm::Expected<StepPlacements> readPlacements(ParallelRanks &ranks, const std::string &path) {
  if (path.empty())
    return stepError({rule, ""},
                     "got no placements, expected how the ranks hold the inputs and outputs of the single step",
                     "give --placements FILE: {\"mesh\": {\"axes\": [\"dp\"], \"sizes\": [2]}, \"inputs\": "
                     "[{\"position\": 0, \"single\": 0, \"of\": \"x\", \"placement\": {\"dp\": \"shard(0)\"}}, ...], "
                     "\"outputs\": [...]}");
  return ranks.readPlacements(path);
}

} // namespace

llvm::Expected<equality::StepAnswer> compareStepFiles(const StepFiles &files, Diagnostics &warnings) {
  ParallelRanks ranks(rule, warnings);
  llvm::Expected<std::unique_ptr<Graph>> single = ranks.readGraph(files.single);
  if (!single)
    return single.takeError();
  if (llvm::Error error = ranks.readGroups(files.groups))
    return error;
  if (llvm::Error error = ranks.readGraphs(files.parallel))
    return error;
  llvm::Expected<StepPlacements> placements = readPlacements(ranks, files.placements);
  if (!placements)
    return placements.takeError();
  equality::StepComparison comparison;
  comparison.single = single->get();
  comparison.placements = std::move(*placements);
  comparison.trials = files.trials;
  comparison.seed = files.seed;
  if (llvm::Error error = ranks.countRanks(files.ranks, comparison.placements.mesh))
    return error;
  if (llvm::Error error = ranks.sizeMesh(comparison.placements.mesh, files.placements))
    return error;
  for (size_t rank = 0; rank != ranks.numRanks(); ++rank)
    comparison.ranks.push_back({&ranks.graph(rank), ranks.groups(rank)});
  return equality::compareSteps(comparison);
}

} // namespace ccgraph
