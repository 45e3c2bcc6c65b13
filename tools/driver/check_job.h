// The part of ccgraph-check that is alike for jobs of graphs and for schedules of pipelines: what is checked, and what
// is written about it.
//
// Ownership: borrows everything for the call. Failure: errors of readers and writers; findings are no errors. Cost:
// that of what is written.
#pragma once

#include "ccgraph/checks/job_check.h"
#include "driver/check_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// Returns what the flags ask for; reads the machine.
[[nodiscard]] llvm::Expected<JobCheckOptions> jobCheckOptions(const CheckOptions &options);

/// Returns whether a requested file takes the place of the text on standard output.
[[nodiscard]] bool writesToOutput(const CheckOptions &options);

struct JobOutput {
  /// names the job on the page, and is the file of findings without a line of the user's program
  const std::string &input;
  Streams streams;
};

/// Prints the result and writes the requested files. Returns Ok if there is no finding.
[[nodiscard]] llvm::Expected<ExitCode> reportJobs(const CheckOptions &options, llvm::ArrayRef<CheckedJob> checked,
                                                  const JobOutput &output);

} // namespace ccgraph::driver
