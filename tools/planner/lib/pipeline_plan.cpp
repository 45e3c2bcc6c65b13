#include "planner/pipeline_plan.h"

#include <tuple>

namespace ccgraph::planner {

using models::ModelPart;

namespace {

std::vector<StageTimes> partsOf(const std::vector<StageCosts> &stages, StageTimes StageCosts::*part) {
  std::vector<StageTimes> times;
  for (const StageCosts &stage : stages)
    times.push_back(stage.*part);
  return times;
}

std::vector<StageMemory> memoryOf(const std::vector<StageCosts> &stages) {
  std::vector<StageMemory> memory;
  for (const StageCosts &stage : stages)
    memory.push_back(stage.memory);
  return memory;
}

PipelineTime timeOf(const PipelineSchedule &schedule, const std::vector<StageCosts> &stages,
                    StageTimes StageCosts::*times) {
  return pipelineTime(schedule, {partsOf(stages, times), partsOf(stages, &StageCosts::exposed)});
}

/// Stages of one kind have equal costs.
std::tuple<bool, bool, int64_t, int64_t> kindOf(const ModelPart &part, const models::ModelConfig &model) {
  const int64_t layers = part.endLayer - part.firstLayer;
  return {part.isFirst, part.isLast, layers, std::clamp<int64_t>(model.denseLayers - part.firstLayer, 0, layers)};
}

} // namespace

llvm::Expected<std::vector<StageCosts>> PipelinePlanner::costsOfStages(const PlanCandidate &candidate,
                                                                       CostsOfStage of) {
  std::map<std::tuple<bool, bool, int64_t, int64_t>, StageCosts> known;
  std::vector<StageCosts> stages;
  const int64_t count = candidate.pipeline->stages();
  for (int64_t stage = 0; stage != count; ++stage) {
    const ModelPart part = partOfStage(job_.step.model, stage, count);
    const auto kind = kindOf(part, job_.step.model);
    auto place = known.find(kind);
    if (place == known.end()) {
      llvm::Expected<StageCosts> costs = (catalog_.*of)(candidate, part);
      if (!costs)
        return costs.takeError();
      place = known.emplace(kind, *costs).first;
    }
    stages.push_back(place->second);
  }
  return stages;
}

llvm::Expected<PlanBound> PipelinePlanner::boundOf(const PlanCandidate &candidate) {
  llvm::Expected<std::vector<StageCosts>> stages = costsOfStages(candidate, &StageCatalog::boundOf);
  if (!stages)
    return stages.takeError();
  return PlanBound{busiestRankTime(*candidate.pipeline, partsOf(*stages, &StageCosts::bound)),
                   leastPipelineMemory(*candidate.pipeline, memoryOf(*stages))};
}

llvm::Expected<PlanBound> PipelinePlanner::simulatedBoundOf(const PlanCandidate &candidate) {
  llvm::Expected<std::vector<StageCosts>> stages = costsOfStages(candidate, &StageCatalog::boundOf);
  if (!stages)
    return stages.takeError();
  llvm::Expected<PipelineSchedule> schedule = models::makePipelineSchedule(*candidate.pipeline);
  if (!schedule)
    return schedule.takeError();
  return PlanBound{timeOf(*schedule, *stages, &StageCosts::bound).stepPs, pipelineMemory(*schedule, memoryOf(*stages))};
}

llvm::Expected<PipelinePrediction> PipelinePlanner::predict(const PlanCandidate &candidate) {
  llvm::Expected<std::vector<StageCosts>> stages = costsOfStages(candidate, &StageCatalog::costsOf);
  if (!stages)
    return stages.takeError();
  llvm::Expected<PipelineSchedule> schedule = models::makePipelineSchedule(*candidate.pipeline);
  if (!schedule)
    return schedule.takeError();
  return PipelinePrediction{timeOf(*schedule, *stages, &StageCosts::predicted),
                            timeOf(*schedule, *stages, &StageCosts::bound).stepPs,
                            pipelineMemory(*schedule, memoryOf(*stages))};
}

} // namespace ccgraph::planner
