#include "driver/launcher_watch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <string>

namespace ccgraph::driver {
namespace {

/// Returns nothing if the file does not exist.
std::optional<std::string> textOf(const llvm::Twine &path) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  return buffer ? std::optional((*buffer)->getBuffer().str()) : std::nullopt;
}

/// Returns true for a running process; a zombie, which its parent has not reaped, is not alive.
bool isAlive(llvm::StringRef process) {
  std::optional<std::string> text = textOf("/proc/" + process + "/stat");
  // The line is "PID (NAME) STATE ...", where NAME may contain any character.
  llvm::StringRef state = text ? llvm::StringRef(*text).rsplit(')').second.trim() : "";
  return !state.empty() && state.front() != 'Z' && state.front() != 'X';
}

/// Returns nothing if the system does not provide the information.
std::optional<bool> hasLiveChild(pid_t parent) {
  std::error_code failure;
  std::optional<bool> found;
  const std::string tasks = "/proc/" + std::to_string(parent) + "/task";
  for (llvm::sys::fs::directory_iterator task(tasks, failure), end; !failure && task != end; task.increment(failure)) {
    std::optional<std::string> children = textOf(task->path() + "/children");
    if (!children)
      continue;
    llvm::SmallVector<llvm::StringRef, 8> numbers;
    llvm::SplitString(*children, numbers);
    found = found.value_or(false) || llvm::any_of(numbers, isAlive);
  }
  return found;
}

} // namespace

bool LauncherWatch::isStuck(Clock::time_point now) {
  bool busy = hasLiveChild(launcher_).value_or(true);
  hadProcesses_ |= busy;
  if (busy || !hadProcesses_)
    alone_.reset();
  else if (!alone_)
    alone_ = now;
  return alone_ && now - *alone_ >= patience;
}

} // namespace ccgraph::driver
