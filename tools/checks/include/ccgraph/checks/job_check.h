// checkJobFiles: checks the jobs of files, as ccgraph-check does.
//
// Ownership: plain values. Failure: a DiagnosticError for files that cannot be read (job_files.h), and for a replay
// that cannot run or that contradicts the check (job_replay.h). Findings are no errors. Cost: that of reading the
// graphs, which are freed one after the other, and of checkJob.
#pragma once

#include "ccgraph/checks/job_replay.h"
#include "ccgraph/jobs/timeline.h"
#include "ccgraph/toolkit/job_files.h"

namespace ccgraph {

/// How many ranks a page can show.
inline constexpr size_t mostTimelines = 16;

struct JobCheckOptions {
  jobs::CheckOptions check;
  /// number of ranks of a job whose one graph every rank runs; 0: what the graph or its groups state
  size_t ranks = 0;
  /// Runs each job on the local engine too, and compares how it ends.
  bool replays = false;
  /// how many ranks get a timeline: those of the findings first, then the others; 0: none
  size_t timelines = 0;
};

/// The name of the job in which each rank runs the graphs of its log in their order.
inline constexpr const char *compilationsInOrder = "all, in the order of the logs";

struct CheckedJob {
  /// the compilation that a log names; empty if the input is one job
  std::string compilation = "";
  jobs::CheckResult result;
  /// by semantics; empty if it was not replayed
  std::vector<JobReplay> replays = {};
  /// Under the first semantics that has a deadlock, else under the first one that was checked; only if requested.
  std::vector<jobs::RankTimeline> timelines = {};
  jobs::Semantics timelinesUnder = jobs::Semantics::Dataflow;
};

/// Takes the most resident communicators from a machine, given by name or path; leaves them unchanged for an empty
/// text.
[[nodiscard]] llvm::Error setMachine(JobCheckOptions &options, llvm::StringRef machine);

/// Checks one job; `compilation` is left empty.
[[nodiscard]] llvm::Expected<CheckedJob> checkWholeJob(const jobs::Job &job, const JobCheckOptions &options);

/// Reads and checks each job of the files (describeJobs). If logs have several compilations and there is no finding in
/// any of them, the last result is about all of them, in the order in which each rank runs them.
[[nodiscard]] llvm::Expected<std::vector<CheckedJob>> checkJobFiles(llvm::ArrayRef<std::string> paths,
                                                                    llvm::ArrayRef<std::string> groups,
                                                                    const JobCheckOptions &options,
                                                                    Diagnostics &warnings);

} // namespace ccgraph
