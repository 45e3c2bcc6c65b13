#include "driver/timed_runs.h"

#include "ccgraph/runtime/comparison.h"
#include "ccgraph/toolkit/equivalence_check.h"

#include <chrono>

namespace ccgraph::driver {

using namespace runtime; // NOLINT(google-build-using-namespace): a driver is glue between the folders

std::string differenceFromFirst(size_t run, const RunResult &first, const RunResult &now,
                                const std::vector<TensorMap> &inputs) {
  Comparison comparison = compareRuns({first, now, inputs}, {});
  if (comparison.equal())
    return "";
  comparison.unchecked.clear(); // an equal output is no difference, even if the comparison could not check it
  return "error: run " + std::to_string(run) + " gives other values than run 1\n" + differencesText(comparison);
}

bool TimedRuns::measures() const {
  return program_.runsPlans() &&
         (options_.repeat != 0 || !options_.pace.empty() || !options_.trace.empty() || !options_.durations.empty());
}

bool TimedRuns::timesSteps() const { return !options_.trace.empty() || !options_.durations.empty(); }

llvm::Error TimedRuns::prepare(std::function<void(llvm::ArrayRef<FlightRecord>)> onFailure, std::optional<Pace> pace) {
  if (!program_.runsPlans())
    return llvm::Error::success();
  PlanRequest request{.plans = program_.plans(), .ranks = program_.ranks(), .memoryLimit = machineMemory()};
  if (options_.seed)
    request.seed = *options_.seed;
  request.deadline = options_.deadline;
  request.pace = std::move(pace);
  request.capture = options_.capture;
  request.timeSteps = timesSteps();
  request.recordCalls = !options_.calls.empty();
  if (!options_.kernels.empty())
    request.kernels = options_.kernels;
  request.onFailure = [tell = std::move(onFailure)](const std::vector<FlightRecord> &records) { tell(records); };
  // The times of a run come from its flight records, so these must have room for every call.
  if (measures())
    for (const Plan *plan : request.plans) {
      size_t calls = 0;
      for (const PlanStep &step : plan->steps)
        calls += step.collective() ? step.collective()->calls.size() : 0;
      request.recordedSteps = std::max(request.recordedSteps, plan->steps.size());
      request.recordedCalls = std::max(request.recordedCalls, calls);
    }
  for (const FaultFlag &flag : options_.faults) {
    auto rank = static_cast<size_t>(flag.fault.rank);
    llvm::Expected<Fault> fault = resolveFault(flag, *request.plans[request.plans.size() <= rank ? 0 : rank]);
    if (!fault)
      return fault.takeError();
    request.faults.push_back(*fault);
  }
  llvm::Expected<std::unique_ptr<PreparedPlans>> prepared = findEngine(program_.engine())->prepare(request);
  if (!prepared)
    return prepared.takeError();
  prepared_ = std::move(*prepared);
  return llvm::Error::success();
}

llvm::Expected<RunResult> TimedRuns::runOnce(const std::vector<TensorMap> &inputs) {
  if (prepared_)
    return prepared_->run(inputs);
  RunRequest request{.graphs = program_.graphs(), .ranks = program_.ranks(), .inputs = inputs};
  request.objects = program_.objects();
  request.memoryLimit = machineMemory();
  request.kernels = options_.kernels;
  return interpret(request);
}

llvm::Error TimedRuns::measure() {
  if (!measures())
    return llvm::Error::success();
  llvm::Expected<RankTraces> traces = prepared_->gatherTraces();
  if (!traces)
    return traces.takeError();
  traces_ = std::move(*traces);
  times_.push_back(measureRun(traces_.records));
  // A host that only enqueues cannot measure when a collective ran.
  if (findEngine(program_.engine())->abilities().enqueues && !timesSteps())
    times_.back().collectives.clear();
  return llvm::Error::success();
}

llvm::Expected<RunResult> TimedRuns::runMeasured(const std::vector<TensorMap> &inputs) {
  auto begin = std::chrono::steady_clock::now();
  llvm::Expected<RunResult> result = runOnce(inputs);
  seconds_.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (!result)
    return result.takeError();
  if (llvm::Error error = measure())
    return error;
  return result;
}

llvm::Error TimedRuns::run(const std::vector<TensorMap> &inputs) {
  llvm::Expected<RepeatedRuns> runs = repeatRuns(
      std::max<size_t>(options_.repeat, 1), [&] { return runMeasured(inputs); }, inputs);
  if (!runs)
    return runs.takeError();
  runs_ = std::move(*runs);
  return llvm::Error::success();
}

llvm::Expected<RepeatedRuns> repeatRuns(size_t times, llvm::function_ref<llvm::Expected<RunResult>()> run,
                                        const std::vector<TensorMap> &inputs) {
  RepeatedRuns runs;
  for (size_t number = 1; number <= times; ++number) {
    llvm::Expected<RunResult> result = run();
    if (!result)
      return result.takeError();
    if (number == 1)
      runs.first = std::move(*result);
    else if (runs.difference.empty())
      runs.difference = differenceFromFirst(number, runs.first, *result, inputs);
  }
  return runs;
}

} // namespace ccgraph::driver
