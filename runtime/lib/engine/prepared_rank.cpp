#include "engine/prepared_rank.h"

namespace ccgraph::runtime {

llvm::Expected<PreparedCopy> PreparedCopy::prepare(const PlanStep &step, RankState &state) {
  PreparedCopy copy;
  copy.step_ = &step;
  const CopyStep &work = *step.copy();
  if (!state.memory.isFixed(work.from) || !state.memory.isFixed(work.to))
    return copy;
  StepPlace place = state.at(step.name);
  llvm::Expected<Tensor> from = state.memory.tensorOf(work.from, state.symbols, place),
                         to = state.memory.tensorOf(work.to, state.symbols, place);
  if (!from || !to)
    return llvm::joinErrors(from.takeError(), to.takeError());
  copy.fixed_.emplace(std::move(*from), std::move(*to));
  return copy;
}

static llvm::Error copyInto(const Tensor &from, const Tensor &to, const StepPlace &place) {
  if (from.sizes() != to.sizes() || from.dtype() != to.dtype())
    return place.error("run.plan",
                       "copies " + from.typeText() + " to " + to.typeText() + ", expected equal sizes and dtypes");
  to.copyFrom(from);
  return llvm::Error::success();
}

llvm::Error PreparedCopy::run(RankState &state) const {
  StepPlace place = state.at(step_->name);
  if (fixed_)
    return copyInto(fixed_->first, fixed_->second, place);
  const CopyStep &work = *step_->copy();
  if (llvm::Error error = state.memory.makeRoom(work.to, state.symbols, place))
    return error;
  llvm::Expected<Tensor> from = state.memory.tensorOf(work.from, state.symbols, place),
                         to = state.memory.tensorOf(work.to, state.symbols, place);
  if (!from || !to)
    return llvm::joinErrors(from.takeError(), to.takeError());
  return copyInto(*from, *to, place);
}

llvm::Error PreparedRank::prepare(size_t numRanks) {
  if (llvm::Error error = state.memory.layOut(state.symbols, state.at({})))
    return error;
  growingUses.assign(state.plan->buffers.size(), 0);
  byStream.resize(state.plan->streams.size());
  for (const PlanStep &step : state.plan->steps)
    if (llvm::Error error = prepareStep(step, numRanks))
      return error;
  auto keep = [&](const PlanWindow &window) { ++growingUses[window.buffer]; };
  for (const PlanValue &output : state.plan->outputs)
    forEachWindow(output, keep);
  for (const PlanInput &input : state.plan->inputs)
    forEachWindow(input.after, keep);
  return llvm::Error::success();
}

llvm::Error PreparedRank::prepareStep(const PlanStep &step, size_t numRanks) {
  auto add = [&](auto &&work) {
    byStream[step.stream].push_back(static_cast<uint32_t>(steps.size()));
    steps.push_back({&step, std::forward<decltype(work)>(work), {}});
    countGrowing(steps.back());
    return llvm::Error::success();
  };
  if (step.kernel()) {
    llvm::Expected<PreparedKernel> kernel = PreparedKernel::prepare(step, state);
    return kernel ? add(std::move(*kernel)) : kernel.takeError();
  }
  if (step.copy()) {
    llvm::Expected<PreparedCopy> copy = PreparedCopy::prepare(step, state);
    return copy ? add(std::move(*copy)) : copy.takeError();
  }
  llvm::Expected<PreparedCollective> collective = PreparedCollective::prepare(step, state, numRanks);
  if (!collective)
    return collective.takeError();
  PreparedExchange exchange{std::move(*collective), {}};
  for (const CallSeat &seat : exchange.collective.seats())
    exchange.tickets.push_back(transport->enrol(seat));
  mostCalls = std::max(mostCalls, exchange.tickets.size());
  return add(std::move(exchange));
}

void PreparedRank::countGrowing(PreparedStep &step) {
  auto touch = [&](const PlanWindow &window) {
    if (state.memory.isGrowing(window.buffer) && !llvm::is_contained(step.growing, window.buffer))
      step.growing.push_back(window.buffer);
  };
  forEachAccess(*step.plan, [&](const PlanAccess &access) {
    if (access.window)
      touch(*access.window);
  });
  for (BufferId buffer : step.growing)
    ++growingUses[buffer];
}

} // namespace ccgraph::runtime
