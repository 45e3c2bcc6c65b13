#include "driver/check_driver.h"

#include "ccgraph/checks/pipeline_check.h"
#include "driver/check_contract.h"
#include "driver/check_job.h"
#include "driver/check_numerics.h"
#include "driver/check_options.h"
#include "driver/check_pipeline.h"
#include "driver/check_placements.h"
#include "driver/check_same.h"

#include "llvm/ADT/StringSet.h"

namespace ccgraph::driver {
namespace {

/// Prints each warning once, since the graphs of one log are read from the same file.
void printOnce(llvm::raw_ostream &os, llvm::ArrayRef<Diagnostic> warnings) {
  llvm::StringSet<> printed;
  for (const Diagnostic &warning : warnings)
    if (std::string text = toString(warning); printed.insert(text).second)
      os << text;
}

llvm::Expected<ExitCode> checkJob(const CheckOptions &options, llvm::ArrayRef<std::string> paths, Streams streams) {
  llvm::Expected<JobCheckOptions> how = jobCheckOptions(options);
  if (!how)
    return how.takeError();
  Diagnostics warnings;
  llvm::Expected<std::vector<CheckedJob>> checked = checkJobFiles(paths, options.groups, *how, warnings);
  printOnce(streams.err, warnings.take());
  if (!checked)
    return checked.takeError();
  return reportJobs(options, *checked, {paths.front(), streams});
}

/// Selects the check by the flags and by the content of the input.
llvm::Expected<ExitCode> checkInput(const CheckOptions &options, llvm::ArrayRef<std::string> paths, Streams streams) {
  if (options.numerics)
    return checkNumericsOf(options, paths, streams);
  if (!options.sameAs.empty())
    return checkSameStep(options, paths, streams);
  if (options.inferPlacements)
    return checkPlacementsOf(options, paths, streams);
  if (options.isOfContract())
    return checkContractOf(options, paths.front(), streams);
  if (options.isOfSchedule())
    return checkPipelineOf(options, paths.front(), streams);
  if (paths.size() == 1) {
    llvm::Expected<bool> isPipeline = isPipelineFile(paths.front());
    if (!isPipeline)
      return isPipeline.takeError();
    if (*isPipeline)
      return checkPipelineOf(options, paths.front(), streams);
  }
  return checkJob(options, paths, streams);
}

} // namespace

// Every error of ccgraph-check ends with the code of a wrong usage, because 1 means that the job has findings.
ExitCode checkMain(llvm::ArrayRef<const char *> arguments, Streams streams) {
  CheckOptions options;
  CommandLine line = declareCheckFlags(options);
  if (llvm::Error error = line.parse(arguments))
    return rejectUsage(streams, std::move(error));
  if (auto code = answerCommonFlags(line, {"ccgraph-check", options.help, options.version}, streams))
    return *code;
  if (llvm::Error error = checkCheckUsage(options, line.positional()))
    return rejectUsage(streams, std::move(error));
  llvm::Expected<ExitCode> code = checkInput(options, line.positional(), streams);
  return code ? *code : rejectUsage(streams, code.takeError());
}

} // namespace ccgraph::driver
