#include "driver/check_pipeline.h"

#include "ccgraph/checks/pipeline_check.h"
#include "check_report/pipeline_report.h"
#include "driver/check_job.h"

namespace ccgraph::driver {
namespace {

/// Prints the errors of a schedule whose graphs cannot be made.
ExitCode printFindings(const CheckOptions &options, const CheckedPipeline &checked, const JobOutput &output) {
  llvm::raw_ostream &out = output.streams.out;
  if (options.json)
    report::writePipelineJson(out, checked);
  else
    report::writeScheduleText(out, checked, output.input);
  if (options.replay || !options.sarif.empty() || !options.dot.empty() || !options.report.empty())
    output.streams.err << "note: --replay, --sarif, --dot and --report need a schedule without these errors\n";
  return ExitCode::Diagnosed;
}

/// JSON, or a file on standard output, replaces the text of the schedule as well as that of the job.
llvm::Expected<ExitCode> printJob(const CheckOptions &options, const CheckedPipeline &checked,
                                  const JobOutput &output) {
  if (!options.json && !writesToOutput(options))
    report::writeScheduleText(output.streams.out, checked, output.input);
  llvm::Expected<ExitCode> code = reportJobs(options, checked.jobs, output);
  return !code || checked.findings.empty() ? std::move(code) : ExitCode::Diagnosed;
}

} // namespace

llvm::Expected<ExitCode> checkPipelineOf(const CheckOptions &options, const std::string &path, Streams streams) {
  if (!options.groups.empty() || options.ranks != 0)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        llvm::Twine(options.ranks != 0 ? "--ranks" : "--groups") +
            " with a schedule: expected none\n  note: the schedule has a line for each rank; "
            "\"groups\" in the file of --stage-graphs names the group file");
  llvm::Expected<JobCheckOptions> how = jobCheckOptions(options);
  if (!how)
    return how.takeError();
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  Diagnostics warnings;
  llvm::Expected<CheckedPipeline> checked =
      checkPipeline(*file, {options.stages, options.stageGraphs, options.stageSizes}, *how, warnings);
  streams.err << toString(warnings.take());
  if (!checked)
    return checked.takeError();
  const JobOutput output{path, streams};
  return checked->jobs.empty() ? printFindings(options, *checked, output) : printJob(options, *checked, output);
}

} // namespace ccgraph::driver
