#include "driver/check_same.h"

#include "ccgraph/toolkit/same_step_files.h"
#include "report/same_step_report.h"

namespace ccgraph::driver {

llvm::Expected<ExitCode> checkSameStep(const CheckOptions &options, llvm::ArrayRef<std::string> paths,
                                       Streams streams) {
  StepFiles files{options.sameAs, paths.vec(), options.groups, options.placements, options.ranks};
  if (options.trials != 0)
    files.trials = static_cast<unsigned>(options.trials);
  Diagnostics warnings;
  llvm::Expected<equality::StepAnswer> answer = compareStepFiles(files, warnings);
  streams.err << toString(warnings.take());
  if (!answer)
    return answer.takeError();
  (options.json ? report::writeSameStepJson : report::writeSameStepText)(streams.out, *answer);
  if (!answer->equal)
    return ExitCode::CheckFailed;
  return *answer->equal ? ExitCode::Ok : ExitCode::Diagnosed;
}

} // namespace ccgraph::driver
