// Estimates of one candidate, from a bound that many candidates share to its predicted step. Each next one costs more,
// and is at least as sharp:
//
//   knowledge   without a pipeline                       with a pipeline                       cost
//   Shared      sharedBoundOf                            sharedBoundOf                         a look-up
//   Own         boundOf: its programs with few layers    the busiest rank                      milliseconds
//   Close       all microbatches but the last by -O2,    the simulated schedule, with the      seconds, or
//               with the bound of the last               bounds of its stages                  milliseconds
//   Predicted   all microbatches by -O2                  the same, with the times of stages    seconds
//
// Ownership: refers to the request. Failure: an error of the generator, of the passes, or of the schedule.
#pragma once

#include "planner/pipeline_plan.h"
#include "planner/plan_row.h"

namespace ccgraph::planner {

enum class Knowledge : uint8_t { Shared, Own, Close, Predicted };

struct Estimate {
  PlanBound bound;
  Knowledge knowledge = Knowledge::Shared;
  /// without a pipeline, from Own on: the part of the step that is not the last microbatch's, and what it leaves free
  StepPlanBound step;
  /// the row, as far as it is known; complete if the knowledge is Predicted
  PlanRow row;
};

/// Threads may use one estimator at once.
class PlanEstimator {
public:
  explicit PlanEstimator(const PlanRequest &request)
      : request_(request), catalog_(request.job, request.machine), pipelines_(request.job, catalog_) {}

  [[nodiscard]] llvm::Expected<Estimate> first(const PlanCandidate &candidate);
  /// Returns the next estimate; `known` is not Predicted. No bound decreases.
  [[nodiscard]] llvm::Expected<Estimate> next(Estimate known);

private:
  [[nodiscard]] llvm::Error refineStep(Estimate &estimate);
  [[nodiscard]] llvm::Error refinePipeline(Estimate &estimate);
  [[nodiscard]] llvm::Error predictEach(Estimate &estimate) const;
  [[nodiscard]] llvm::Error predictLast(Estimate &estimate) const;
  [[nodiscard]] llvm::Error predictPipeline(Estimate &estimate);
  [[nodiscard]] llvm::Expected<PlanProgram> program(const Estimate &estimate, models::Part part) const;

  const PlanRequest &request_;
  StageCatalog catalog_;
  PipelinePlanner pipelines_;
};

} // namespace ccgraph::planner
