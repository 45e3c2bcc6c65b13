#include "driver/check_job.h"

#include "check_report/check_report.h"
#include "driver/check_output.h"

namespace ccgraph::driver {

bool writesToOutput(const CheckOptions &options) {
  return options.sarif == "-" || options.dot == "-" || options.report == "-";
}

llvm::Expected<JobCheckOptions> jobCheckOptions(const CheckOptions &options) {
  JobCheckOptions how;
  how.check.under = options.semantics();
  how.check.mostResident = options.maxResident;
  how.ranks = options.ranks;
  how.replays = options.replay;
  how.timelines = options.report.empty() ? 0 : mostTimelines;
  if (llvm::Error error = setMachine(how, options.machine))
    return error;
  return how;
}

llvm::Expected<ExitCode> reportJobs(const CheckOptions &options, llvm::ArrayRef<CheckedJob> checked,
                                    const JobOutput &output) {
  llvm::raw_ostream &out = output.streams.out;
  if (llvm::Error error = writeTo(options.sarif, out,
                                  [&](llvm::raw_ostream &os) { report::writeCheckSarif(os, checked, output.input); }))
    return error;
  if (llvm::Error error = writeTo(options.dot, out, [&](llvm::raw_ostream &os) { report::writeCheckDot(os, checked); }))
    return error;
  if (llvm::Error error = writeTo(options.report, out,
                                  [&](llvm::raw_ostream &os) { report::writeCheckPage(os, checked, output.input); }))
    return error;
  // A file on standard output replaces the text.
  bool isTaken = writesToOutput(options);
  if (options.json)
    report::writeCheckJson(out, checked);
  else if (!isTaken)
    report::writeCheckText(out, checked);
  bool isClean = llvm::all_of(checked, [](const CheckedJob &job) { return job.result.findings.empty(); });
  return isClean ? ExitCode::Ok : ExitCode::Diagnosed;
}

} // namespace ccgraph::driver
