#include "ccgraph/toolkit/schedule_files.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/passes/apply_schedule.h"

namespace ccgraph {

llvm::Expected<Schedule> loadSchedule(llvm::StringRef path, Diagnostics &warnings) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  return readSchedule(file->source(), &warnings);
}

llvm::Expected<ScheduledPipeline> loadScheduledPipeline(llvm::StringRef path, Diagnostics &warnings) {
  llvm::Expected<Schedule> schedule = loadSchedule(path, warnings);
  if (!schedule)
    return schedule.takeError();
  llvm::Expected<Pipeline> pipeline = pipelineOf(*schedule);
  if (!pipeline)
    return pipeline.takeError();
  return ScheduledPipeline{std::move(*schedule), std::move(*pipeline)};
}

std::optional<unsigned> levelOfText(llvm::StringRef text) {
  for (unsigned level = 0; level <= maxLevel; ++level)
    if (text == "-O" + std::to_string(level))
      return level;
  return std::nullopt;
}

llvm::Expected<Pipeline> pipelineOfText(llvm::StringRef text) {
  return text.trim().empty() ? Pipeline() : Pipeline::parse(text);
}

} // namespace ccgraph
