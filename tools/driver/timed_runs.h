// TimedRuns: a program, prepared once and run as often as --repeat asks for.
//
// Each run gets the same inputs and must give the same values as the first: one that does not read memory that nobody
// wrote, or was ordered too weakly, or its engine kept something from the run before.
//
// Ownership: borrows program and options; keeps the first run's values. Failure: run()'s error is that of the engine; runs that
// differ are no error but difference(). Cost: that of the runs, and a comparison after each but the first, which is not
// in the time.
#pragma once

#include "ccgraph/runtime/engine.h"
#include "ccgraph/runtime/run_times.h"
#include "driver/run_program.h"

namespace ccgraph::driver {

/// The same program, run several times.
struct RepeatedRuns {
  runtime::RunResult first;
  /// What a later run gave that the first did not, in lines; empty where there is nothing.
  std::string difference;
};

/// Runs so often, also where a run differs: where each rank has a process, one may see what the others do not, and all must run alike.
/// Error: that of a run, which is the last.
[[nodiscard]] llvm::Expected<RepeatedRuns> repeatRuns(size_t times,
                                                      llvm::function_ref<llvm::Expected<runtime::RunResult>()> run,
                                                      const std::vector<TensorMap> &inputs);

class TimedRuns {
public:
  TimedRuns(const RunProgram &program, const RunOptions &options) : program_(program), options_(options) {}

  /// For engines of plans: kernels found, memory laid out. What ranks remember of a run that fails goes to `onFailure`.
  [[nodiscard]] llvm::Error prepare(std::function<void(llvm::ArrayRef<FlightRecord>)> onFailure,
                                    std::optional<runtime::Pace> pace);
  /// By rank.
  [[nodiscard]] llvm::Error run(const std::vector<TensorMap> &inputs);
  /// Of the first run.
  [[nodiscard]] const runtime::RunResult &result() const { return runs_.first; }
  /// What a later run gave that the first did not, in lines; empty where there is nothing.
  [[nodiscard]] const std::string &difference() const { return runs_.difference; }
  /// What the ranks of this process remember of a run that failed; none where the interpreter ran graphs.
  [[nodiscard]] std::vector<FlightRecord> flightRecords() const {
    return prepared_ ? prepared_->flightRecords() : std::vector<FlightRecord>();
  }
  /// What the ranks remember of the last run, where what it took is asked for and plans ran: all of them, in the process that
  /// sees all.
  [[nodiscard]] const runtime::RankTraces &traces() const { return traces_; }
  /// What each run took, as traces(); nothing of collectives where the engine enqueues them and was not asked for times (--trace,
  /// --durations).
  [[nodiscard]] llvm::ArrayRef<runtime::RunTimes> times() const { return times_; }
  /// Null where the interpreter runs graphs.
  [[nodiscard]] const runtime::PreparedPlans *plans() const { return prepared_.get(); }
  /// Of each run, from inputs brought to results taken.
  [[nodiscard]] llvm::ArrayRef<double> seconds() const { return seconds_; }

private:
  [[nodiscard]] bool measures() const;
  [[nodiscard]] bool timesSteps() const;
  [[nodiscard]] llvm::Error measure();
  [[nodiscard]] llvm::Expected<runtime::RunResult> runOnce(const std::vector<TensorMap> &inputs);
  [[nodiscard]] llvm::Expected<runtime::RunResult> runMeasured(const std::vector<TensorMap> &inputs);

  const RunProgram &program_;
  const RunOptions &options_;
  std::unique_ptr<runtime::PreparedPlans> prepared_; ///< null where the interpreter runs graphs
  RepeatedRuns runs_;
  std::vector<double> seconds_;
  runtime::RankTraces traces_;
  std::vector<runtime::RunTimes> times_;
};

/// What run number `run` (from 1) gave that the first did not, in lines; empty where there is nothing. Values are held to
/// the bit.
[[nodiscard]] std::string differenceFromFirst(size_t run, const runtime::RunResult &first,
                                              const runtime::RunResult &now, const std::vector<TensorMap> &inputs);

} // namespace ccgraph::driver
