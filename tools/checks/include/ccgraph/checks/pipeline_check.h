// checkPipeline: checks the schedule of a pipeline, as ccgraph-check does.
//
// The rules of the schedule come first (ccgraph/ir/pipeline_verifier.h). If no action is missing or misplaced, the
// graphs of all ranks are made, and checked as a job: from the graphs of the stages if there are any
// (pipeline_stages.h), else from the schedule and the type of what a stage sends to the next (pipeline_graphs.h).
//
// Ownership: plain values. Failure: a DiagnosticError for a schedule or graphs that cannot be read or do not fit, and
// for a replay that cannot run. Findings are no errors. Cost: that of the readers and of checkWholeJob.
#pragma once

#include "ccgraph/checks/job_check.h"
#include "ccgraph/frontend/files.h"

namespace ccgraph {

struct PipelineCheckRequest {
  /// number of stages; 0: one more than the largest in the schedule
  size_t stages = 0;
  /// path of the stages file; empty: none
  std::string stageGraphs = "";
  /// what a stage sends to the next, such as "bf16[4, 4096]"; empty: bf16[1]. Of a schedule without graphs
  std::string stageSizes = "";
};

struct CheckedPipeline {
  size_t ranks = 0;
  int64_t stages = 0;
  int64_t microbatches = 0;
  /// what is wrong with the schedule by itself
  std::vector<Diagnostic> findings;
  /// the job of all ranks; none if an action is missing or misplaced
  std::vector<CheckedJob> jobs;

  [[nodiscard]] size_t numFindings() const;
};

/// Returns whether the file is a schedule in PyTorch's CSV form. A folder and standard input ("-") are not.
[[nodiscard]] llvm::Expected<bool> isPipelineFile(const std::string &path);

[[nodiscard]] llvm::Expected<CheckedPipeline> checkPipeline(const InputFile &schedule,
                                                            const PipelineCheckRequest &request,
                                                            const JobCheckOptions &options, Diagnostics &warnings);

} // namespace ccgraph
