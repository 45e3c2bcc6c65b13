#include "driver/training_step_times.h"

namespace ccgraph::driver {

void addTrainingStepTimes(report::Summary &summary, const TrainingStepQuestion &question) {
  const PipelineRun &run = summary.run;
  if (!run.timeBefore || question.input.schedule())
    return;
  const CostSummary unscaled;
  summary.step->carriesDurations = question.input.carriesDurations();
  report::predictStep(*summary.step,
                      {question.input.context(), question.input.input(), question.pipeline, question.options,
                       question.prepare, [&](const Graph &other) { return question.input.durationsOfOther(other); },
                       run.cost ? *run.cost : unscaled, report::costOf(*run.timeBefore, summary.before.peakBytes),
                       report::costOf(*run.timeAfter, summary.after.peakBytes)});
}

} // namespace ccgraph::driver
