#include "driver/check_numerics.h"

#include "ccgraph/toolkit/numerics_files.h"
#include "driver/check_same.h"
#include "report/numerics_report.h"
#include "report/same_step_report.h"

namespace ccgraph::driver {

namespace {

ExitCode codeOfStep(const equality::StepAnswer &answer) {
  if (!answer.equal)
    return ExitCode::CheckFailed;
  return *answer.equal ? ExitCode::Ok : ExitCode::Diagnosed;
}

NumericsFiles numericsFilesOf(const CheckOptions &options, llvm::ArrayRef<std::string> paths) {
  NumericsFiles files;
  files.before = options.sameAs;
  files.beforeGroups = options.sameAsGroups;
  files.after = paths.vec();
  files.groups = options.groups;
  files.ranks = options.ranks;
  files.placements = options.placements;
  files.order = options.engine.empty() || options.engine == "any" ? numerics::SumOrder::Any : numerics::SumOrder::Ranks;
  return files;
}

/// Compares the values first, with the step of one device; outputs that differ have no numerics.
llvm::Expected<ExitCode> checkPlacedNumerics(const CheckOptions &options, const NumericsFiles &files, Streams streams) {
  Diagnostics warnings, again;
  llvm::Expected<equality::StepAnswer> step = compareFormFiles(formFilesOf(options, files.after), warnings);
  streams.err << toString(warnings.take());
  if (!step)
    return step.takeError();
  if (!options.json)
    report::writeSameStepText(streams.out, *step);
  if (step->equal == false) {
    if (options.json)
      report::writeSameStepJson(streams.out, *step);
    return codeOfStep(*step);
  }
  llvm::Expected<numerics::SumAnswer> answer = compareSumsOfFiles(files, again);
  if (!answer)
    return answer.takeError();
  const report::NumericsSubject subject{files.order, &*step};
  (options.json ? report::writeNumericsJson : report::writeNumericsText)(streams.out, *answer, subject);
  return codeOfStep(*step);
}

} // namespace

llvm::Expected<ExitCode> checkNumericsOf(const CheckOptions &options, llvm::ArrayRef<std::string> paths,
                                         Streams streams) {
  const NumericsFiles files = numericsFilesOf(options, paths);
  if (!files.placements.empty())
    return checkPlacedNumerics(options, files, streams);
  Diagnostics warnings;
  llvm::Expected<numerics::SumAnswer> answer = compareSumsOfFiles(files, warnings);
  streams.err << toString(warnings.take());
  if (!answer)
    return answer.takeError();
  (options.json ? report::writeNumericsJson : report::writeNumericsText)(streams.out, *answer, {files.order});
  return answer->allSameFunctions() ? ExitCode::Ok : ExitCode::CheckFailed;
}

} // namespace ccgraph::driver
