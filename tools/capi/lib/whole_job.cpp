#include "named_files.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/toolkit/job_output.h"
#include "report/job_rewrite_report.h"

using namespace ccgraph;
using namespace ccgraph::capi;

namespace {

/// Adds the warnings of the readers to `warned`.
llvm::Expected<JobRewrite> rewriteJobFile(const std::string &path, const std::string &folder, ccgraph_options options,
                                          std::string &warned) {
  if (!options.choosesPipeline)
    options.pipeline = defaultJobPipeline;
  llvm::Expected<NamedFiles> files = readNamedFiles(options, {}, warned);
  if (!files)
    return files.takeError();
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  llvm::Expected<JobDescription> job = describeJobFile(*file);
  if (!job)
    return job.takeError();
  Diagnostics warnings;
  llvm::Expected<JobRewrite> result =
      rewriteJobInto(folder, {*job, files->pipeline, options.manager, files->costs.machine, options.ranks}, warnings);
  warned += toString(warnings.take());
  return result;
}

} // namespace

ccgraph_error *ccgraph_optimize_job(const char *path, const char *folder, const ccgraph_options *options,
                                    ccgraph_text **report) {
  if (!path || !folder || !report)
    return usage("ccgraph_optimize_job: got NULL, expected a job file, a folder and a place for the report");
  if (options && !options->schedule.empty())
    return usage("ccgraph_optimize_job: got a schedule, expected none, since a schedule is about one graph");
  std::string warned;
  llvm::Expected<JobRewrite> result = rewriteJobFile(path, folder, options ? *options : ccgraph_options(), warned);
  if (!result)
    return toError(result.takeError());
  auto text = std::make_unique<ccgraph_text>();
  llvm::raw_string_ostream os(text->text);
  report::writeJobRewriteJson(os, *result, warned);
  os.flush();
  *report = text.release();
  return nullptr;
}
