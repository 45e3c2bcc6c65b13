#include "views.h"

#include "ccgraph/toolkit/schedule_trace.h"
#include "report/report_data.h"

using namespace ccgraph;
using namespace ccgraph::capi;

ccgraph_graph::ccgraph_graph() = default;
ccgraph_graph::~ccgraph_graph() = default;

bool capi::isViewForm(llvm::StringRef form) { return form == "page" || form == "trace"; }

ccgraph_error *capi::checkView(const ccgraph_graph &handle) {
  if (handle.views && handle.state == ccgraph_graph::State::Optimized)
    return nullptr;
  return usage("a graph that was not optimized, or without the option views, has no page, no trace and no advice",
               "set views to true before ccgraph_optimize");
}

void capi::printView(const ccgraph_graph &handle, llvm::StringRef form, llvm::raw_ostream &os) {
  const PipelineRun &run = handle.summary.run;
  if (form == "trace")
    return writeScheduleTrace(os, *run.scheduleAfter, run.changed() ? &*run.scheduleBefore : nullptr);
  report::Report report{handle.summary, {}};
  if (run.changed())
    report.schedules.push_back({"before", &*run.scheduleBefore});
  report.schedules.push_back({run.changed() ? "after" : "as it stands", &*run.scheduleAfter});
  report::writeReport(os, report);
}

ccgraph_error *ccgraph_advise(ccgraph_graph *graph) {
  if (!graph)
    return usage("ccgraph_advise: got NULL, expected a graph");
  std::lock_guard lock(graph->mutex);
  if (ccgraph_error *error = checkView(*graph))
    return error;
  report::Summary &summary = graph->summary;
  if (summary.advised || !summary.run.timeAfter)
    return nullptr;
  const Views &views = *graph->views;
  summary.advised = true;
  summary.advice = advise({*views.input, views.files.pipeline, views.level, views.manager, summary.run.timeAfter->total,
                           summary.after.peakBytes});
  return nullptr;
}
