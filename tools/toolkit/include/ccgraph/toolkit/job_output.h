// rewriteJobInto: rewrites a job (job_rewrite.h) and writes the result into a folder.
//
// The folder receives each rewritten graph as JSON, with its groups, and a job.json that lists them
// (ccgraph/frontend/job_file.h). A graph keeps the name of its file; graphs of different folders with one name get a
// number. The job.json is written last, so a folder without it is not complete.
//
// Ownership: plain values. Failure: errors of rewriteJob, and a DiagnosticError for a folder or file that cannot be
// written. Cost: that of rewriteJob.
#pragma once

#include "ccgraph/toolkit/job_rewrite.h"

namespace ccgraph {

/// Passes for a job if the user does not choose any: only orders change.
inline constexpr const char *defaultJobPipeline = "schedule-overlap{buckets=none}";

[[nodiscard]] llvm::Expected<JobRewrite> rewriteJobInto(const std::string &folder, const JobRewriteRequest &request,
                                                        Diagnostics &warnings);

} // namespace ccgraph
