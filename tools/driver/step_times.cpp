#include "driver/step_times.h"

namespace ccgraph::driver {

void addStepTimes(Summary &summary, const StepTimesQuestion &question) {
  const PipelineRun &run = summary.run;
  if (!run.timeBefore || question.input.schedule() || question.input.durations())
    return;
  predictStep(*summary.step,
              {question.input.context(), question.input.input(), question.pipeline, question.options, question.prepare,
               costOf(*run.timeBefore, summary.before.peakBytes), costOf(*run.timeAfter, summary.after.peakBytes)});
}

} // namespace ccgraph::driver
