#include "driver/view_job.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/toolkit/schedule_trace.h"

namespace ccgraph::driver {
namespace {

llvm::Error saveTrace(const std::string &path, const PipelineRun &run) {
  return writeFile(path, [&](llvm::raw_ostream &os) {
    writeScheduleTrace(os, *run.scheduleAfter, run.changed() ? &*run.scheduleBefore : nullptr);
    return llvm::Error::success();
  });
}

} // namespace

llvm::Error writeViews(const ViewFlags &flags, const PipelineRun &run) {
  if (!flags.trace.empty())
    return saveTrace(flags.trace, run);
  return llvm::Error::success();
}

} // namespace ccgraph::driver
