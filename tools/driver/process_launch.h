// Processes for an engine that runs each rank in one: ccgraph-run starts itself again, by mpirun, once for each rank.
//
// Where it has been started so already, by itself or by the user's own mpirun or scheduler, it does not.
// What mpirun itself prints when a job ends early is left out, but for who was ended by which signal, which becomes an error of ours.
//
// Ownership: borrows the streams. Failure: an exit code; what went wrong is on streams.err. Cost: that of mpirun, some tenths of a second.
#pragma once

#include "driver/command_line.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// This process is one of a job's.
[[nodiscard]] bool isLaunched();

/// Runs this program with these arguments in so many processes, and gives what they give.
[[nodiscard]] ExitCode launchProcesses(llvm::ArrayRef<const char *> arguments, size_t processes, Streams streams);

/// mpirun's own words, taken apart from those of its processes.
class LauncherText {
public:
  explicit LauncherText(llvm::raw_ostream &os) : os_(os) {}
  /// What has come, in pieces of any size.
  void add(llvm::StringRef text);
  /// All has come.
  void finish();
  /// "rank 1 was ended by signal 9 (Killed)"; empty where none was.
  [[nodiscard]] const std::string &ended() const { return ended_; }

private:
  void addLine(llvm::StringRef line);
  void closeBanner();
  llvm::raw_ostream &os_;
  std::string rest_;
  std::optional<std::string> banner_;
  std::string ended_;
};

} // namespace ccgraph::driver
