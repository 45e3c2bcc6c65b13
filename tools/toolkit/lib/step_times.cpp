#include "ccgraph/toolkit/step_times.h"

#include "llvm/ADT/MapVector.h"

namespace ccgraph {
namespace {

/// The steps of one node, over which its time is divided.
struct Steps {
  std::vector<size_t> collectives;
  std::vector<size_t> kernels;
  [[nodiscard]] const std::vector<size_t> &timed() const { return collectives.empty() ? kernels : collectives; }
};

llvm::MapVector<Identifier, Steps> stepsByNode(const Plan &plan) {
  llvm::MapVector<Identifier, Steps> nodes;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep &step = plan.steps[i];
    if (step.collective())
      nodes[step.name].collectives.push_back(i);
    else if (step.kernel())
      nodes[step.name].kernels.push_back(i);
  }
  return nodes;
}

} // namespace

StepTimes timesOfSteps(const Plan &plan, llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> timeOf) {
  StepTimes times;
  times.steps.resize(plan.steps.size());
  for (const auto &[name, steps] : stepsByNode(plan)) {
    std::optional<int64_t> time = timeOf(name.str());
    if (!time) {
      times.unknown.push_back(name.str().str());
      continue;
    }
    auto count = static_cast<int64_t>(steps.timed().size());
    for (size_t step : steps.timed())
      times.steps[step] = *time / count;
    times.steps[steps.timed().back()] += *time % count;
    (steps.collectives.empty() ? times.computation : times.communication) += *time;
  }
  return times;
}

} // namespace ccgraph
