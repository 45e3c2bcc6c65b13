// Writes flight records when a run of ccgraph-run fails or a signal requests them, and analyzes them for --analyze.
//
// Ownership: borrows everything for the call. Failure: diagnostics and the exit code. Cost: that of the files.
#pragma once

#include "ccgraph/runtime/engine.h"
#include "driver/command_line.h"
#include "driver/streams.h"

#include <atomic>
#include <csignal>
#include <thread>

namespace ccgraph::driver {

/// Implements --analyze: reports which rank delays the run of these records. Returns CheckFailed if a rank delays the
/// run.
[[nodiscard]] ExitCode analyzeRecords(const std::string &path, Streams streams);

/// Prints notes about a run that failed with `error`. If ranks waited for one another or disagreed, the notes name the
/// culprit. If `folder` is given and the records were written there, the notes name the folder.
struct RunRecords {
  std::vector<FlightRecord> records;
  /// true if the records cover all ranks; the records of this process alone cannot identify a culprit
  bool all = true;
};
void explainFailure(llvm::raw_ostream &err, const llvm::Error &error, const RunRecords &records,
                    const std::string &folder);
/// Reports the culprit from the records that the processes of a failed run left in the folder; prints nothing if there
/// is no record or no folder.
void explainRecords(llvm::raw_ostream &err, const std::string &folder);

/// Handles signals during its lifetime. SIGUSR1 writes the records of the current run. SIGTERM and SIGINT write them
/// and then end the process as usual. Threads that start during this time inherit the handling.
class SignalRecords {
public:
  /// Without a folder, signals keep their usual effect.
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
