#include "lower/emitter.h"
#include "lower/program.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::lower {
namespace {

/// Returns, by buffer, the moments at which it is written, ascending.
std::vector<std::vector<Moment>> writeMoments(const Program &program) {
  std::vector<std::vector<Moment>> writes(program.plan.buffers.size());
  for (size_t i = 0; i < program.plan.steps.size(); ++i)
    forEachAccess(program.plan.steps[i], [&](const PlanAccess &access) {
      if (access.window && access.writes)
        writes[access.window->buffer].push_back(program.moments[i]);
    });
  return writes;
}

bool isWrittenWithin(llvm::ArrayRef<Moment> writes, Moment after, Moment upTo) {
  const Moment *next = llvm::upper_bound(writes, after);
  return next != writes.end() && *next <= upTo;
}

/// Makes the row work in place on its result, and returns the copy that moves the input there.
CopyStep copyAtLaunch(Context &context, PlanRow &row) {
  const Type &sent = *row.send->type;
  const Type *type = context.contiguousTensor(sent.dtype(), sent.sizes(), sent.device());
  CopyStep copy{*row.send, {row.receive->buffer, type, row.receive->offset}};
  row.send = row.receive;
  return copy;
}

} // namespace

void copyWhatIsOverwritten(Program &program) {
  if (program.lateReads.empty())
    return;
  Plan &plan = program.plan;
  std::vector<std::vector<Moment>> writes = writeMoments(program);
  std::vector<std::pair<size_t, CopyStep>> copies; // with the index of the step before which each is inserted
  for (const LateRead &read : program.lateReads) {
    PlanRow &row = std::get<CollectiveStep>(plan.steps[read.step].work).calls.front().rows[read.row];
    if (isWrittenWithin(writes[row.send->buffer], program.moments[read.step], read.completion))
      copies.emplace_back(read.step, copyAtLaunch(plan.context(), row));
  }
  if (copies.empty())
    return;
  std::vector<PlanStep> old = std::exchange(plan.steps, {});
  std::vector<Moment> moments = std::exchange(program.moments, {});
  auto next = copies.begin();
  for (size_t i = 0; i < old.size(); ++i) {
    for (; next != copies.end() && next->first == i; ++next) {
      PlanStep step;
      step.name = old[i].name;
      step.stream = Plan::computeStream;
      step.work = next->second;
      addStep(program, std::move(step), moments[i]);
    }
    addStep(program, std::move(old[i]), moments[i]);
  }
}

llvm::Error checkCopiedAgain(const Program &program) {
  if (program.copiedAgain.empty())
    return llvm::Error::success();
  std::vector<std::vector<Moment>> writes = writeMoments(program);
  for (const CopiedAgain &result : program.copiedAgain) {
    // The launch itself fills it first.
    Moment launched = writes[result.buffer].front();
    if (isWrittenWithin(writes[result.buffer], launched, result.completion))
      return loweringError(
          *result.launch, "lower.rewritten",
          "a result is written before the last wait on its list, and each wait may copy all results again",
          "wait for all results before one is written, or launch them one by one");
  }
  return llvm::Error::success();
}

} // namespace ccgraph::lower
