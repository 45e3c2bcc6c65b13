#include "ccgraph/toolkit/schedule_files.h"

#include "ccgraph/frontend/files.h"

namespace ccgraph {

llvm::Expected<Schedule> loadSchedule(llvm::StringRef path, Diagnostics &warnings) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  return readSchedule(file->source(), &warnings);
}

} // namespace ccgraph
