// Adds to a summary the times of the other graphs of a log's step (step_report.h).
//
// Ownership: borrows everything for the call. Failure: that of predictStep, which the report keeps. Cost: that of
// predictStep.
#pragma once

#include "driver/opt_input.h"
#include "report/summary.h"

namespace ccgraph::driver {

struct StepTimesQuestion {
  OptInput &input;
  const Pipeline &pipeline;
  PassManagerOptions options;
  std::function<llvm::Error(Graph &)> prepare;
};

/// Adds nothing where a schedule was given, which is of one graph, or where no pass ran.
void addStepTimes(report::Summary &summary, const StepTimesQuestion &question);

} // namespace ccgraph::driver
