// TimedRuns prepares a program once and runs it as often as --repeat requires.
//
// Each run gets the same inputs and must return the same values as the first. If a run differs, it read memory that was
// never written, its order was too weak, or its engine kept state from the run before.
//
// Ownership: borrows program and options; keeps the first run's values. Failure: run() returns the engine's error; runs
// that differ are not an error, and difference() reports them. Cost: that of the runs, and a comparison after each run
// except the first; the comparison is not part of the measured time.
#pragma once

#include "ccgraph/runtime/engine.h"
#include "ccgraph/runtime/run_times.h"
#include "driver/run_program.h"

namespace ccgraph::driver {

/// The results of the same program, run several times.
struct RepeatedRuns {
  runtime::RunResult first;
  /// lines that describe how a later run differs from the first; empty if none does
  std::string difference;
};

/// Runs the program `times` times, even if a run differs: if each rank has a process, one process may see a difference
/// that the others do not see, and all must do the same runs. Returns the error of a run, which is then the last run.
[[nodiscard]] llvm::Expected<RepeatedRuns> repeatRuns(size_t times,
                                                      llvm::function_ref<llvm::Expected<runtime::RunResult>()> run,
                                                      const std::vector<TensorMap> &inputs);

class TimedRuns {
public:
  TimedRuns(const RunProgram &program, const RunOptions &options) : program_(program), options_(options) {}

  /// Finds kernels and lays out memory, for engines of plans. The records of a failed run are passed to `onFailure`.
  [[nodiscard]] llvm::Error prepare(std::function<void(llvm::ArrayRef<FlightRecord>)> onFailure,
                                    std::optional<runtime::Pace> pace);
  /// Runs the program with the inputs of each rank.
  [[nodiscard]] llvm::Error run(const std::vector<TensorMap> &inputs);
  /// Returns the result of the first run.
  [[nodiscard]] const runtime::RunResult &result() const { return runs_.first; }
  /// Returns lines that describe how a later run differs from the first; empty if none does.
  [[nodiscard]] const std::string &difference() const { return runs_.difference; }
  /// Returns the records of a failed run from the ranks of this process; none if the interpreter ran graphs.
  [[nodiscard]] std::vector<FlightRecord> flightRecords() const {
    return prepared_ ? prepared_->flightRecords() : std::vector<FlightRecord>();
  }
  /// Returns the traces of the last run, if times are measured and plans were run: those of all ranks in the process
  /// that receives the results of all.
  [[nodiscard]] const runtime::RankTraces &traces() const { return traces_; }
  /// Returns the times of each run, from traces(). Collectives are missing if the engine enqueues them and step times
  /// were not requested (--trace, --durations).
  [[nodiscard]] llvm::ArrayRef<runtime::RunTimes> times() const { return times_; }
  /// Returns null if the interpreter runs graphs.
  [[nodiscard]] const runtime::PreparedPlans *plans() const { return prepared_.get(); }
  /// Returns the time of each run, from passing the inputs to receiving the results.
  [[nodiscard]] llvm::ArrayRef<double> seconds() const { return seconds_; }

private:
  [[nodiscard]] bool measures() const;
  [[nodiscard]] bool timesSteps() const;
  [[nodiscard]] llvm::Error measure();
  [[nodiscard]] llvm::Expected<runtime::RunResult> runOnce(const std::vector<TensorMap> &inputs);
  [[nodiscard]] llvm::Expected<runtime::RunResult> runMeasured(const std::vector<TensorMap> &inputs);

  const RunProgram &program_;
  const RunOptions &options_;
  std::unique_ptr<runtime::PreparedPlans> prepared_; ///< null if the interpreter runs graphs
  RepeatedRuns runs_;
  std::vector<double> seconds_;
  runtime::RankTraces traces_;
  std::vector<runtime::RunTimes> times_;
};

/// Returns lines that describe how run number `run` (from 1) differs from the first; empty if it does not. Values are
/// compared bitwise.
[[nodiscard]] std::string differenceFromFirst(size_t run, const runtime::RunResult &first,
                                              const runtime::RunResult &now, const std::vector<TensorMap> &inputs);

} // namespace ccgraph::driver
