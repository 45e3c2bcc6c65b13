#include "ccgraph/checks/numerics_files.h"

#include "parallel_ranks.h"

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral numericsRule = "same.input";

/// Returns the groups of the program before: its own, or else those of the program after, which are no part of a job
/// file.
llvm::Expected<std::vector<std::string>> groupsOfBefore(const NumericsFiles &files) {
  if (!files.beforeGroups.empty())
    return files.beforeGroups;
  llvm::Expected<std::optional<InputFile>> job = openJob(files.before);
  if (!job)
    return job.takeError();
  return *job ? std::vector<std::string>() : files.groups;
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
  if (llvm::Error error = parallel.readFiles(files.after, files.groups))
    return error;
  llvm::Expected<StepPlacements> placements = parallel.readPlacements(files.placements, files.ranks);
  if (!placements)
    return placements.takeError();
  if (llvm::Error error = parallel.stageError())
    return error;
  return numerics::compareSums({{{single->get(), {}}}, rankGraphsOf(parallel), files.order, std::move(*placements)});
}

static llvm::Expected<numerics::SumAnswer> compareSumsOfFiles(const NumericsFiles &files, Diagnostics &warnings) {
  if (!files.placements.empty())
    return comparePlacedFiles(files, warnings);
  ParallelRanks before(numericsRule, warnings), after(numericsRule, warnings);
  if (llvm::Error error = after.readFiles(files.after, files.groups))
    return error;
  llvm::Expected<std::vector<std::string>> groups = groupsOfBefore(files);
  if (!groups)
    return groups.takeError();
  if (llvm::Error error = before.readFiles(files.before, *groups))
    return error;
  if (llvm::Error error = after.countRanks(before.numGiven() > 1 ? before.numGiven() : files.ranks, {}))
    return error;
  if (llvm::Error error = before.countRanks(after.numRanks(), {}))
    return error;
  return numerics::compareSums({rankGraphsOf(before), rankGraphsOf(after), files.order});
}

std::optional<bool> NumericsAnswer::equal() const {
  if (step)
    return step->equal;
  return sums && sums->allSameFunctions() ? std::optional(true) : std::nullopt;
}

llvm::Expected<NumericsAnswer> compareNumericsOfFiles(const NumericsFiles &files, FormFilePair values,
                                                      Diagnostics &warnings) {
  NumericsAnswer answer{files.order};
  Diagnostics again; // the files are read twice with placements
  if (!files.placements.empty()) {
    values.reference.graphs = files.before;
    values.compared = {files.after, files.groups, files.placements, files.ranks};
    llvm::Expected<equality::StepAnswer> step = compareFormFiles(values, warnings);
    if (!step)
      return step.takeError();
    answer.step = std::move(*step);
    if (answer.step->equal == false)
      return answer;
  }
  llvm::Expected<numerics::SumAnswer> sums = compareSumsOfFiles(files, answer.step ? again : warnings);
  if (!sums)
    return sums.takeError();
  answer.sums = std::move(*sums);
  return answer;
}

} // namespace ccgraph
