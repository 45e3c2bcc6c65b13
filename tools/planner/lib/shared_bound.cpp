#include "planner/shared_bound.h"

namespace ccgraph::planner {
namespace {

bool hasStages(const models::GenerateRequest &step) { return step.model.tied == 0 && step.shape.lossChunks == 1; }

/// Each microbatch gathers the weights and reduces the gradients, on the same groups; the last one is followed by the
/// optimizer.
int64_t timeOf(const PlanCandidate &candidate, const ModelFloor &floor) {
  ProgramBound each = floor.gradients;
  // With stage 1, collectives and optimizer have other forms.
  if (candidate.zero == 1)
    return each.picoseconds();
  for (const ProgramBound *part : {&floor.gather, &floor.update})
    for (const auto &[group, time] : part->streamsPs)
      each.streamsPs[group] += time;
  ProgramBound last = each;
  last.computePs += floor.update.computePs;
  return (candidate.accumulation - 1) * each.picoseconds() + last.picoseconds();
}

PlanBound ofOneProgram(const PlanCandidate &candidate, const ModelFloor &floor) {
  const int64_t state = candidate.zero == 1 ? 0 : floor.optimizerBytes();
  return {timeOf(candidate, floor), floor.parameterBytes() + state + floor.valueBytes()};
}

PlanBound meanOfRanks(const models::PipelineRequest &pipeline, const ModelFloor &floor) {
  const int64_t time = pipeline.numMicrobatches() * floor.gradients.picoseconds() + floor.update.picoseconds();
  return {time / pipeline.ranks,
          (floor.parameterBytes() + floor.optimizerBytes() + floor.wholeBytes()) / pipeline.ranks};
}

} // namespace

llvm::Expected<PlanBound> sharedBoundOf(const PlanJob &job, const PlanCandidate &candidate, StageCatalog &catalog) {
  if (!hasStages(job.step))
    return PlanBound();
  llvm::Expected<ModelFloor> floor = catalog.floorOf(candidate);
  if (!floor)
    return floor.takeError();
  return candidate.pipeline ? meanOfRanks(*candidate.pipeline, *floor) : ofOneProgram(candidate, *floor);
}

} // namespace ccgraph::planner
