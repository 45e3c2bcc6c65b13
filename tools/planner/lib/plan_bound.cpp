#include "planner/plan_bound.h"

#include "planner/program_bound.h"

namespace ccgraph::planner {
namespace {

using models::GenerateRequest;
using models::Part;

/// The size is the state of the optimizer.
llvm::Expected<ProgramBound> boundOfPart(const GenerateRequest &request, const Machine &machine) {
  LayeredProgram program{[&](Context &context, int64_t layers) {
                           GenerateRequest few = request;
                           few.model.layers = layers;
                           return models::generate(context, few);
                         },
                         [](const Graph &graph) { return std::vector<int64_t>{optimizerStateBytes(graph)}; }};
  // The first layers may be dense, and one of each kind must be there.
  const int64_t eachKind = request.model.experts > 0 ? request.model.denseLayers + 1 : 1;
  llvm::Expected<LayeredBound> bound =
      LayeredBound::measure(program, std::min(eachKind, request.model.layers), machine);
  if (!bound)
    return bound.takeError();
  return bound->of(request.model.layers);
}

} // namespace

int64_t optimizerStateBytes(const Graph &step) {
  int64_t bytes = 0;
  for (const Node *node : step) {
    llvm::StringRef name = node->name().str();
    if (node->opcode() == Opcode::Placeholder && (name.startswith("average_of_") || name.startswith("square_of_")))
      bytes += node->type()->numBytes().value_or(0);
  }
  return bytes;
}

llvm::Expected<StepPlanBound> boundOf(const PlanJob &job, const PlanCandidate &candidate, const Machine &machine) {
  llvm::Expected<ProgramBound> last = boundOfPart(requestOf(job, candidate, Part::Step), machine);
  if (!last)
    return last.takeError();
  StepPlanBound bound{{last->picoseconds(), last->bytes}, last->picoseconds(), last->sizes.front()};
  if (candidate.accumulation == 1)
    return bound;
  llvm::Expected<ProgramBound> each = boundOfPart(requestOf(job, candidate, Part::Joint), machine);
  if (!each)
    return each.takeError();
  bound.whole.picoseconds += (candidate.accumulation - 1) * each->picoseconds();
  bound.whole.bytes = std::max(bound.whole.bytes, each->bytes + bound.optimizerBytes);
  return bound;
}

} // namespace ccgraph::planner
