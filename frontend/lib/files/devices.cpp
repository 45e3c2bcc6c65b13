#include "files/devices.h"

#include <sys/stat.h>
#include <unistd.h>

namespace ccgraph {

bool isEndless(llvm::sys::fs::file_t file) {
  struct stat device = {};
  struct stat null = {};
  if (fstat(file, &device) != 0 || (!S_ISCHR(device.st_mode) && !S_ISBLK(device.st_mode)) || isatty(file) == 1)
    return false;
  return stat("/dev/null", &null) != 0 || device.st_rdev != null.st_rdev;
}

llvm::Error endlessError(llvm::StringRef name) {
  Diagnostic diagnostic;
  diagnostic.file = name.str();
  diagnostic.message = "got a device, which has no end, expected a file or a pipe";
  diagnostic.notes.push_back("give the file that the graph was written to, or - for standard input");
  return makeError(std::move(diagnostic));
}

} // namespace ccgraph
