// Step text: what a summary says of the training step that a graph is a part of (step_report.h).
//
// Ownership: plain values. Failure: none. Cost: linear in the graphs of the step.
#pragma once

#include "report/step_report.h"

namespace ccgraph::report {

/// "the backward, 1 of 3 graphs of a step"; empty where the graph is neither forward nor backward and the only one.
[[nodiscard]] std::string roleText(const StepReport &step);

/// "backward": what the line of the graph's own times is called where a step has several graphs; else "step".
[[nodiscard]] std::string ownLabel(const StepReport &step);

/// "as PyTorch runs it 106.5 ms, 24.6 GiB; with -O2 104.9 ms, 15.6 GiB: forward 40.0 ms -> 39.1 ms, ..."; empty where the
/// step is the one graph that the summary is of. `level` is what the pipeline is called.
[[nodiscard]] std::string stepText(const StepReport &step, llvm::StringRef level);

/// Where Inductor's own result is, and what the pipeline makes of it; empty where the graph is that, or the log has none.
[[nodiscard]] std::string inductorText(const StepReport &step, llvm::StringRef level);

/// Which communication of the job is in no graph, as far as the log says; empty where nothing says so.
[[nodiscard]] std::string outsideText(const StepReport &step);

} // namespace ccgraph::report
