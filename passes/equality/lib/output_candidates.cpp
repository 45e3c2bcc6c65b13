#include "ccgraph/equality/output_candidates.h"

#include "trial.h"

namespace ccgraph::equality {

llvm::Expected<std::vector<bool>> holdingOutputs(const StepComparison &comparison,
                                                 llvm::ArrayRef<TensorPlacement> candidates) {
  StepComparison inputsAlone = comparison;
  inputsAlone.placements.outputs.clear();
  Trial trial(comparison.seed);
  trial.keepsValues = false;
  if (llvm::Error error = runTrial(inputsAlone, trial))
    return error;
  std::vector<bool> holds;
  if (trial.problem)
    return holds;
  for (const TensorPlacement &candidate : candidates) {
    const bool exists = candidate.single < trial.single.front().outputs.size() &&
                        candidate.position < trial.ranks.front().outputs.size();
    llvm::Expected<std::optional<WrongOutput>> wrong =
        exists ? checkOutput(inputsAlone, trial, candidate) : std::optional(WrongOutput());
    // A placement that does not fit the sizes does not hold.
    holds.push_back(wrong && !*wrong);
    if (!wrong)
      llvm::consumeError(wrong.takeError());
  }
  return holds;
}

} // namespace ccgraph::equality
