#include "named_files.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/group_file.h"
#include "ccgraph/toolkit/schedule_files.h"

using namespace ccgraph;
using namespace ccgraph::capi;

namespace {

/// Returns the pipeline of "-O2", or of a list of passes.
llvm::Expected<Pipeline> namedPipeline(llvm::StringRef text) {
  std::optional<unsigned> level = levelOfText(text);
  return level ? pipelineOfLevel(*level) : pipelineOfText(text);
}

llvm::Error readPipeline(const ccgraph_options &options, NamedFiles &files, std::string &warned) {
  if (options.schedule.empty()) {
    auto pipeline = namedPipeline(options.pipeline);
    if (!pipeline)
      return pipeline.takeError();
    files.pipeline = std::move(*pipeline);
    return llvm::Error::success();
  }
  Diagnostics warnings;
  auto scheduled = loadScheduledPipeline(options.schedule, warnings);
  warned += toString(warnings.take());
  if (!scheduled)
    return scheduled.takeError();
  files.schedule = std::move(scheduled->schedule);
  files.pipeline = std::move(scheduled->pipeline);
  return llvm::Error::success();
}

llvm::Error checkGroupFile(llvm::StringRef path) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  llvm::Expected<GroupTable> table = readGroupFile(file->source());
  return table ? llvm::Error::success() : table.takeError();
}

llvm::Error checkOptions(const ccgraph_options &options) {
  std::string warned;
  llvm::Expected<NamedFiles> files = readNamedFiles(options, {}, warned);
  if (!files)
    return files.takeError();
  return options.groups.empty() ? llvm::Error::success() : checkGroupFile(options.groups);
}

} // namespace

llvm::Expected<NamedFiles> capi::readNamedFiles(const ccgraph_options &options, const HostGpus &gpus,
                                                std::string &warned) {
  NamedFiles files;
  if (llvm::Error error = readPipeline(options, files, warned))
    return error;
  llvm::Expected<RunCosts> costs = loadRunCosts({options.machine, {}, options.durations}, gpus);
  if (!costs)
    return costs.takeError();
  files.costs = std::move(*costs);
  return files;
}

ccgraph_error *ccgraph_options_check(const ccgraph_options *options) {
  if (!options)
    return usage("ccgraph_options_check: got NULL, expected options");
  return toError(checkOptions(*options));
}
