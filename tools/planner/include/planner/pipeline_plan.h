// Bounds and predicts candidates with a pipeline, from the costs of their stages (stage_costs.h) and a simulation of
// the schedule (pipeline_time.h).
//
// Ownership: refers to job and catalog. Threads may use one planner at once. Failure: an error of the generator, of the
// passes, or of the schedule. Cost: that of new stages, and for a simulation that of the schedule's actions.
#pragma once

#include "planner/pipeline_time.h"
#include "planner/plan_bound.h"

namespace ccgraph::planner {

/// The prediction of a training step over a pipeline.
struct PipelinePrediction {
  PipelineTime time;
  /// no order with any merging of the stages' parts is faster
  int64_t boundPs = 0;
  /// of the rank that needs most
  int64_t peakBytes = 0;
};

class PipelinePlanner {
public:
  PipelinePlanner(const PlanJob &job, StageCatalog &catalog) : job_(job), catalog_(catalog) {}

  /// Bounds the busiest rank; the schedule is not made.
  [[nodiscard]] llvm::Expected<PlanBound> boundOf(const PlanCandidate &candidate);
  /// Bounds the simulated schedule; not below boundOf.
  [[nodiscard]] llvm::Expected<PlanBound> simulatedBoundOf(const PlanCandidate &candidate);
  [[nodiscard]] llvm::Expected<PipelinePrediction> predict(const PlanCandidate &candidate);

private:
  using CostsOfStage = llvm::Expected<StageCosts> (StageCatalog::*)(const PlanCandidate &, const models::ModelPart &);
  /// Returns the costs of each stage.
  [[nodiscard]] llvm::Expected<std::vector<StageCosts>> costsOfStages(const PlanCandidate &candidate, CostsOfStage of);

  const PlanJob &job_;
  StageCatalog &catalog_;
};

} // namespace ccgraph::planner
