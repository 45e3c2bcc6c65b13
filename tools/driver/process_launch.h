// Starts the processes of an engine that runs each rank in one: ccgraph-run starts itself again, by mpirun, once for
// each rank.
//
// A process that was already started by mpirun or a scheduler, its own or the user's, does not start others. mpirun's
// own messages at an early end of a job are dropped, except which process a signal ended; that becomes an error of
// ccgraph. If a process ends before MPI knows of it, mpirun sometimes prints nothing: then the error gives mpirun's
// exit code and what it stands for.
//
// Ownership: borrows the streams. Failure: returns an exit code and prints the error on streams.err. Cost: that of
// mpirun, some tenths of a second.
#pragma once

#include "driver/command_line.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// Returns true if this process belongs to a launched job.
[[nodiscard]] bool isLaunched();

/// Runs this program with these arguments in the given number of processes, and returns their exit code.
[[nodiscard]] ExitCode launchProcesses(llvm::ArrayRef<const char *> arguments, size_t processes, Streams streams);

/// Separates mpirun's own messages from those of its processes.
class LauncherText {
public:
  explicit LauncherText(llvm::raw_ostream &os) : os_(os) {}
  /// Adds a piece of text of any size.
  void add(llvm::StringRef text);
  /// Ends the text.
  void finish();
  /// Returns a text such as "rank 1 was ended by signal 9 (Killed)"; empty if no rank was.
  [[nodiscard]] const std::string &ended() const { return ended_; }
  /// Returns true if any text was passed on.
  [[nodiscard]] bool printed() const { return printed_; }

private:
  void addLine(llvm::StringRef line);
  void closeBanner();
  void print(llvm::StringRef text);
  llvm::raw_ostream &os_;
  std::string rest_;
  std::optional<std::string> banner_;
  std::string ended_;
  bool printed_ = false;
};

} // namespace ccgraph::driver
