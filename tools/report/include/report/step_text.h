// Formats the summary's lines about the training step that contains the graph (step_report.h).
//
// Ownership: plain values. Failure: none. Cost: linear in the graphs of the step.
#pragma once

#include "report/step_report.h"

namespace ccgraph::report {

/// Returns a text such as "the backward, 1 of 3 graphs of a step"; empty if the graph is the only one and is neither
/// forward nor backward.
[[nodiscard]] std::string roleText(const StepReport &step);

/// Returns the label for the times of the graph itself: its role, such as "backward", if a step has several graphs,
/// else "step".
[[nodiscard]] std::string ownLabel(const StepReport &step);

/// Returns a text such as "as PyTorch runs it 106.5 ms, 24.6 GiB; with -O2 104.9 ms, 15.6 GiB: forward 40.0 ms -> 39.1
/// ms, ..."; empty if the step consists of the summarized graph only. `level` is the name of the pipeline.
[[nodiscard]] std::string stepText(const StepReport &step, llvm::StringRef level);

/// Returns where Inductor's own result is, and what the pipeline makes of it; empty if the graph is that result or the
/// log has none.
[[nodiscard]] std::string inductorText(const StepReport &step, llvm::StringRef level);

/// Returns which communication of the job is in no graph, according to the log; empty if the log mentions none.
[[nodiscard]] std::string outsideText(const StepReport &step);

} // namespace ccgraph::report
