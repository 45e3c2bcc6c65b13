#include "ccgraph/checks/form_files.h"

#include "parallel_ranks.h"

#include "ccgraph/checks/same_step_files.h"

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral rule = "same.input";

llvm::Expected<equality::ParallelForm> readForm(const FormFiles &files, ParallelRanks &ranks) {
  if (files.placements.empty())
    return stepError({rule, files.graphs.front()},
                     "got no placements for this form of the step, expected how its ranks hold inputs and outputs",
                     "give --placements FILE, and --same-as-placements FILE where the form of --same-as holds them "
                     "otherwise; tensors of one \"of\" correspond");
  if (llvm::Error error = ranks.readFiles(files.graphs, files.groups))
    return error;
  llvm::Expected<StepPlacements> placements = ranks.readPlacements(files.placements, files.ranks);
  if (!placements)
    return placements.takeError();
  equality::ParallelForm form;
  form.placements = std::move(*placements);
  if (!ranks.stageProblem().empty())
    return form;
  for (size_t rank = 0; rank != ranks.numRanks(); ++rank)
    form.ranks.push_back({&ranks.graph(rank), ranks.groups(rank)});
  return form;
}

/// Returns whether files are those of a parallel form.
llvm::Expected<bool> isParallel(const FormFiles &files) {
  if (files.graphs.size() > 1 || !files.groups.empty() || !files.placements.empty() || files.ranks != 0)
    return true;
  llvm::Expected<std::optional<InputFile>> job = openJob(files.graphs);
  if (!job)
    return job.takeError();
  return job->has_value();
}

} // namespace

llvm::Expected<equality::StepAnswer> compareFormFiles(const FormFilePair &files, Diagnostics &warnings) {
  llvm::Expected<bool> areBothParallel = isParallel(files.reference);
  if (!areBothParallel)
    return areBothParallel.takeError();
  if (!*areBothParallel)
    return compareStepFiles({files.reference.graphs.front(), files.compared.graphs, files.compared.groups,
                             files.compared.placements, files.compared.ranks, files.trials, files.seed, files.sizes},
                            warnings);
  FormFiles referenceFiles = files.reference;
  if (referenceFiles.placements.empty())
    referenceFiles.placements = files.compared.placements;
  ParallelRanks ofReference(rule, warnings), ofCompared(rule, warnings);
  llvm::Expected<equality::ParallelForm> reference = readForm(referenceFiles, ofReference);
  if (!reference)
    return reference.takeError();
  llvm::Expected<equality::ParallelForm> compared = readForm(files.compared, ofCompared);
  if (!compared)
    return compared.takeError();
  for (const ParallelRanks *ranks : {&ofReference, &ofCompared})
    if (!ranks->stageProblem().empty())
      return undecidedStep(ranks->stageProblem());
  llvm::Expected<equality::StepAnswer> answer =
      equality::compareForms({std::move(*reference), std::move(*compared), files.trials, files.seed});
  if (answer) {
    ofReference.restore(*answer, true);
    ofCompared.restore(*answer, false);
  }
  return answer;
}

} // namespace ccgraph
