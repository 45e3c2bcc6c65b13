#include "driver/equivalence_flags.h"

#include "ccgraph/toolkit/graph_files.h"

namespace ccgraph::driver {

llvm::Expected<EquivalenceQuestion> equivalenceQuestion(const OptOptions &options, const ObjectMeanings &objects) {
  EquivalenceQuestion question;
  question.ranks = options.equivalenceRanks;
  question.seed = options.seed;
  question.objects = objects;
  question.kernels = options.kernels;
  if (options.values.empty())
    return question;
  llvm::Expected<std::vector<TensorMap>> values = loadValues(options.values, question.ranks);
  if (!values)
    return values.takeError();
  question.inputs = std::move(*values);
  return question;
}

} // namespace ccgraph::driver
