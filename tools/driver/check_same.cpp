#include "driver/check_same.h"

#include "check_report/same_step_report.h"

namespace ccgraph::driver {

FormFilePair formFilesOf(const CheckOptions &options, llvm::ArrayRef<std::string> paths) {
  FormFilePair files;
  files.reference = {options.sameAs, options.sameAsGroups, options.sameAsPlacements, options.sameAsRanks};
  files.compared = {paths.vec(), options.groups, options.placements, options.ranks};
  if (options.trials != 0)
    files.trials = static_cast<unsigned>(options.trials);
  files.sizes = options.sizesOfSteps().value_or(files.sizes);
  return files;
}

llvm::Expected<ExitCode> checkSameStep(const CheckOptions &options, llvm::ArrayRef<std::string> paths,
                                       Streams streams) {
  const FormFilePair files = formFilesOf(options, paths);
  Diagnostics warnings;
  llvm::Expected<equality::StepAnswer> answer = compareFormFiles(files, warnings);
  streams.err << toString(warnings.take());
  if (!answer)
    return answer.takeError();
  (options.json ? report::writeSameStepJson : report::writeSameStepText)(streams.out, *answer);
  if (!answer->equal)
    return ExitCode::CheckFailed;
  return *answer->equal ? ExitCode::Ok : ExitCode::Diagnosed;
}

} // namespace ccgraph::driver
