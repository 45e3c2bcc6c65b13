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
  comparison.unchecked.clear(); // because an equal output is no difference, whatever it proves
  return "error: run " + std::to_string(run) + " gives other values than run 1\n" + differencesText(comparison);
}

llvm::Error TimedRuns::prepare() {
  if (!program_.runsPlans())
    return llvm::Error::success();
  PlanRequest request{.plans = program_.plans(), .ranks = program_.ranks(), .memoryLimit = machineMemory()};
  if (options_.seed)
    request.seed = *options_.seed;
  request.deadline = options_.deadline;
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
  return interpret(request);
}

llvm::Error TimedRuns::run(const std::vector<TensorMap> &inputs) {
  for (size_t run = 1; run <= std::max<size_t>(options_.repeat, 1) && difference_.empty(); ++run) {
    auto begin = std::chrono::steady_clock::now();
    llvm::Expected<RunResult> result = runOnce(inputs);
    seconds_.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (!result)
      return result.takeError();
    if (run == 1)
      result_ = std::move(*result);
    else
      difference_ = differenceFromFirst(run, result_, *result, inputs);
  }
  return llvm::Error::success();
}

} // namespace ccgraph::driver
