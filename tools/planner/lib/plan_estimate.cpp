#include "planner/plan_estimate.h"

#include "planner/shared_bound.h"

namespace ccgraph::planner {

using models::Part;

namespace {

void raise(PlanBound &bound, const PlanBound &to) {
  bound.picoseconds = std::max(bound.picoseconds, to.picoseconds);
  bound.bytes = std::max(bound.bytes, to.bytes);
}

/// Sums the microbatches that were predicted.
void sumUp(PlanRow &row) {
  const int64_t before = row.candidate.accumulation - 1;
  const PlanProgram each = row.each.value_or(PlanProgram());
  row.stepPs = row.last.stepPs + before * each.stepPs;
  row.boundPs = row.last.boundPs + before * each.boundPs;
  row.exposedPs = row.last.exposedPs + before * each.exposedPs;
}

} // namespace

llvm::Expected<Estimate> PlanEstimator::first(const PlanCandidate &candidate) {
  llvm::Expected<PlanBound> bound = sharedBoundOf(request_.job, candidate, catalog_);
  if (!bound)
    return bound.takeError();
  return Estimate{.bound = *bound, .step = {}, .row = {.candidate = candidate, .last = {}, .each = {}}};
}

llvm::Expected<Estimate> PlanEstimator::next(Estimate known) {
  assert(known.knowledge != Knowledge::Predicted && "nothing is left to learn");
  if (llvm::Error error = known.row.candidate.pipeline ? refinePipeline(known) : refineStep(known))
    return error;
  return known;
}

// --- Without a pipeline ----------------------------------------------------------------------------------------------

llvm::Error PlanEstimator::refineStep(Estimate &estimate) {
  if (estimate.knowledge == Knowledge::Shared) {
    llvm::Expected<StepPlanBound> bound = boundOf(request_.job, estimate.row.candidate, request_.machine);
    if (!bound)
      return bound.takeError();
    estimate.step = *bound;
    raise(estimate.bound, bound->whole);
    estimate.row.earlyBoundPs = estimate.bound.picoseconds;
    estimate.knowledge = Knowledge::Own;
    return llvm::Error::success();
  }
  const bool hasOthers = estimate.row.candidate.accumulation > 1;
  return hasOthers && estimate.knowledge == Knowledge::Own ? predictEach(estimate) : predictLast(estimate);
}

llvm::Error PlanEstimator::predictEach(Estimate &estimate) const {
  llvm::Expected<PlanProgram> each = program(estimate, Part::Joint);
  if (!each)
    return each.takeError();
  PlanRow &row = estimate.row;
  row.each = *each;
  row.peakBytes = each->peakBytes + estimate.step.optimizerBytes;
  raise(estimate.bound, {(row.candidate.accumulation - 1) * each->stepPs + estimate.step.lastPs, row.peakBytes});
  estimate.knowledge = Knowledge::Close;
  return llvm::Error::success();
}

llvm::Error PlanEstimator::predictLast(Estimate &estimate) const {
  llvm::Expected<PlanProgram> last = program(estimate, Part::Step);
  if (!last)
    return last.takeError();
  estimate.row.last = *last;
  estimate.row.peakBytes = std::max(estimate.row.peakBytes, last->peakBytes);
  sumUp(estimate.row);
  estimate.knowledge = Knowledge::Predicted;
  return llvm::Error::success();
}

llvm::Expected<PlanProgram> PlanEstimator::program(const Estimate &estimate, Part part) const {
  Context context;
  llvm::Expected<std::unique_ptr<Graph>> graph =
      models::generate(context, requestOf(request_.job, estimate.row.candidate, part));
  if (!graph)
    return graph.takeError();
  const int64_t left = request_.memoryBytes - (part == Part::Step ? 0 : estimate.step.optimizerBytes);
  return optimizedProgram(**graph, request_.machine, std::max<int64_t>(left, 0));
}

// --- With a pipeline -------------------------------------------------------------------------------------------------

llvm::Error PlanEstimator::refinePipeline(Estimate &estimate) {
  if (estimate.knowledge == Knowledge::Close)
    return predictPipeline(estimate);
  const bool isSimulated = estimate.knowledge == Knowledge::Own;
  const PlanCandidate &candidate = estimate.row.candidate;
  llvm::Expected<PlanBound> bound =
      isSimulated ? pipelines_.simulatedBoundOf(candidate) : pipelines_.boundOf(candidate);
  if (!bound)
    return bound.takeError();
  raise(estimate.bound, *bound);
  estimate.row.earlyBoundPs = estimate.bound.picoseconds;
  estimate.knowledge = isSimulated ? Knowledge::Close : Knowledge::Own;
  return llvm::Error::success();
}

llvm::Error PlanEstimator::predictPipeline(Estimate &estimate) {
  llvm::Expected<PipelinePrediction> predicted = pipelines_.predict(estimate.row.candidate);
  if (!predicted)
    return predicted.takeError();
  PlanRow &row = estimate.row;
  row.stepPs = predicted->time.stepPs;
  row.boundPs = predicted->boundPs;
  row.exposedPs = predicted->time.exposedPs;
  row.bubblePs = predicted->time.bubblePs;
  row.peakBytes = predicted->peakBytes;
  estimate.knowledge = Knowledge::Predicted;
  return llvm::Error::success();
}

} // namespace ccgraph::planner
