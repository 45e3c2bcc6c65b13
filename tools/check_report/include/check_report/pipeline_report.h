// Writes the result of a check of a pipeline's schedule, as text and JSON.
//
// If an action is missing or misplaced, the JSON is {"findings": [{"rule", "file", "line", "column", "where",
// "message", "notes"}]}, with the places in the schedule. Else there is a job of all ranks, and the JSON is that of
// check_report.h. The text of the schedule precedes the text of the job (writeCheckText).
//
// Ownership: borrows the result. Failure: none; the stream keeps the system's error. Cost: linear in the findings.
#pragma once

#include "ccgraph/checks/pipeline_check.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::report {

/// Writes what is wrong with the schedule by itself, or that it runs to its end. `input` is its path.
void writeScheduleText(llvm::raw_ostream &os, const CheckedPipeline &checked, const std::string &input);
void writePipelineJson(llvm::raw_ostream &os, const CheckedPipeline &checked);

} // namespace ccgraph::report
