// Adds to a summary the times of the other graphs of a log's training step (step_report.h).
//
// Ownership: borrows everything for the call. Failure: that of predictStep, which the report keeps. Cost: that of
// predictStep.
#pragma once

#include "driver/opt_input.h"
#include "report/summary.h"

namespace ccgraph::driver {

struct TrainingStepQuestion {
  OptInput &input;
  const Pipeline &pipeline;
  PassManagerOptions options;
  std::function<llvm::Error(Graph &)> prepare;
};

/// Adds nothing where a schedule was given, which is of one graph, or where no pass ran.
void addTrainingStepTimes(report::Summary &summary, const TrainingStepQuestion &question);

} // namespace ccgraph::driver
