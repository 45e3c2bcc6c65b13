// Flight records in ccgraph-run: written where a run fails or a signal asks for them, and judged by --analyze.
//
// Ownership: borrows everything for the call. Failure: diagnostics, and the exit code. Cost: that of the files.
#pragma once

#include "ccgraph/runtime/engine.h"
#include "driver/command_line.h"
#include "driver/streams.h"

#include <atomic>
#include <csignal>
#include <thread>

namespace ccgraph::driver {

/// --analyze: who holds up the run whose records these are. CheckFailed where somebody does.
[[nodiscard]] ExitCode analyzeRecords(const std::string &path, Streams streams);

/// What is said of a run that failed with `error`, beside the error: who is the culprit, if ranks waited for one another or
/// disagreed, and where the records are, if `folder` is given and they were written there.
struct RunRecords {
  std::vector<FlightRecord> records;
  /// of all ranks; else only of those of this process, which tell nobody's fault
  bool all = true;
};
void explainFailure(llvm::raw_ostream &err, const llvm::Error &error, const RunRecords &records,
                    const std::string &folder);
/// The culprit by what the processes of a run that failed have left in the folder; nothing where there is none, or no folder.
void explainRecords(llvm::raw_ostream &err, const std::string &folder);

/// While it lives, SIGUSR1 writes the records of the run that goes on, and SIGTERM and SIGINT write them and then end the
/// process as they always do. Threads that are started meanwhile inherit that.
class SignalRecords {
public:
  /// No folder: signals do what they always do.
  SignalRecords(const runtime::PreparedPlans *plans, std::string folder, llvm::raw_ostream &err);
  ~SignalRecords();
  SignalRecords(const SignalRecords &) = delete;
  SignalRecords &operator=(const SignalRecords &) = delete;

private:
  void serve();
  void write(int signal);

  const runtime::PreparedPlans *plans_;
  std::string folder_;
  llvm::raw_ostream &err_;
  sigset_t signals_{};
  sigset_t before_{};
  std::atomic<bool> done_ = false;
  std::thread server_;
};

} // namespace ccgraph::driver
