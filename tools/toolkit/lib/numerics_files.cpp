#include "ccgraph/toolkit/numerics_files.h"

#include "parallel_ranks.h"

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral numericsRule = "same.input";

/// Reads one of the two programs; `ranks`: as stated, or those of the other program.
llvm::Error readOneProgram(ParallelRanks &program, llvm::ArrayRef<std::string> graphs,
                           llvm::ArrayRef<std::string> groups, size_t ranks) {
  if (llvm::Error error = program.readGroups(groups))
    return error;
  if (llvm::Error error = program.readGraphs(graphs))
    return error;
  return program.countRanks(ranks, {});
}

std::vector<numerics::RankGraph> rankGraphsOf(const ParallelRanks &program) {
  std::vector<numerics::RankGraph> ranks;
  for (size_t rank = 0; rank != program.numRanks(); ++rank)
    ranks.push_back({&program.graph(rank), program.groups(rank)});
  return ranks;
}

} // namespace

/// Compares the step of one device with a parallel step.
static llvm::Expected<numerics::SumAnswer> comparePlacedFiles(const NumericsFiles &files, Diagnostics &warnings) {
  ParallelRanks parallel(numericsRule, warnings);
  llvm::Expected<std::unique_ptr<Graph>> single = parallel.readGraph(files.before.front());
  if (!single)
    return single.takeError();
  if (llvm::Error error = parallel.readGroups(files.groups))
    return error;
  if (llvm::Error error = parallel.readGraphs(files.after))
    return error;
  llvm::Expected<StepPlacements> placements = parallel.readPlacements(files.placements, files.ranks);
  if (!placements)
    return placements.takeError();
  return numerics::compareSums({{{single->get(), {}}}, rankGraphsOf(parallel), files.order, std::move(*placements)});
}

llvm::Expected<numerics::SumAnswer> compareSumsOfFiles(const NumericsFiles &files, Diagnostics &warnings) {
  if (!files.placements.empty())
    return comparePlacedFiles(files, warnings);
  ParallelRanks before(numericsRule, warnings), after(numericsRule, warnings);
  const size_t stated = files.before.size() > 1 ? files.before.size() : files.ranks;
  if (llvm::Error error = readOneProgram(after, files.after, files.groups, stated))
    return error;
  const std::vector<std::string> &groups = files.beforeGroups.empty() ? files.groups : files.beforeGroups;
  if (llvm::Error error = readOneProgram(before, files.before, groups, after.numRanks()))
    return error;
  return numerics::compareSums({rankGraphsOf(before), rankGraphsOf(after), files.order});
}

} // namespace ccgraph
