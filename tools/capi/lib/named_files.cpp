#include "named_files.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/group_file.h"
#include "ccgraph/passes/apply_schedule.h"
#include "ccgraph/toolkit/schedule_files.h"

using namespace ccgraph;
using namespace ccgraph::capi;

namespace {

llvm::Expected<Pipeline> pipelineOf(llvm::StringRef text) {
  for (unsigned level = 0; level <= maxLevel; ++level)
    if (text == "-O" + std::to_string(level))
      return pipelineOfLevel(level);
  return text.trim().empty() ? Pipeline() : Pipeline::parse(text);
}

llvm::Error readPipeline(const ccgraph_options &options, NamedFiles &files, std::string &warned) {
  if (options.schedule.empty()) {
    auto pipeline = pipelineOf(options.pipeline);
    if (!pipeline)
      return pipeline.takeError();
    files.pipeline = std::move(*pipeline);
    return llvm::Error::success();
  }
  Diagnostics warnings;
  auto schedule = loadSchedule(options.schedule, warnings);
  warned += toString(warnings.take());
  if (!schedule)
    return schedule.takeError();
  auto pipeline = ccgraph::pipelineOf(*schedule);
  if (!pipeline)
    return pipeline.takeError();
  files.schedule = std::move(*schedule);
  files.pipeline = std::move(*pipeline);
  return llvm::Error::success();
}

llvm::Error readCosts(const ccgraph_options &options, NamedFiles &files, PassManagerOptions &manager) {
  if (!options.machine.empty()) {
    auto machine = loadMachine(options.machine);
    if (!machine)
      return machine.takeError();
    manager.machine = std::move(*machine);
  }
  if (options.durations.empty())
    return llvm::Error::success();
  auto durations = DurationFile::load(options.durations);
  if (!durations)
    return durations.takeError();
  files.durations = std::move(*durations);
  manager.durations = &files.durations->durations();
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
  NamedFiles files;
  PassManagerOptions manager = options.manager;
  std::string warned;
  if (llvm::Error error = readNamedFiles(options, files, manager, warned))
    return error;
  return options.groups.empty() ? llvm::Error::success() : checkGroupFile(options.groups);
}

} // namespace

llvm::Error capi::readNamedFiles(const ccgraph_options &options, NamedFiles &files, PassManagerOptions &manager,
                                 std::string &warned) {
  if (llvm::Error error = readPipeline(options, files, warned))
    return error;
  return readCosts(options, files, manager);
}

ccgraph_error *ccgraph_options_check(const ccgraph_options *options) {
  if (!options)
    return usage("ccgraph_options_check: got NULL, expected options");
  return toError(checkOptions(*options));
}
