#include "engine/prepared_rank.h"

namespace ccgraph::runtime {

static llvm::Error checkCopy(const Tensor &from, const Tensor &to, const StepPlace &place) {
  if (from.sizes() == to.sizes() && from.dtype() == to.dtype())
    return llvm::Error::success();
  return place.error("run.plan",
                     "copies " + from.typeText() + " to " + to.typeText() + ", expected equal sizes and dtypes");
}

/// Returns the two tensors of a copy, checked.
static llvm::Expected<std::pair<Tensor, Tensor>> tensorsOf(const CopyStep &work, RankState &state,
                                                           const StepPlace &place) {
  llvm::Expected<Tensor> from = state.memory.tensorOf(work.from, state.symbols, place),
                         to = state.memory.tensorOf(work.to, state.symbols, place);
  if (!from || !to)
    return llvm::joinErrors(from.takeError(), to.takeError());
  if (llvm::Error error = checkCopy(*from, *to, place))
    return error;
  return std::pair(std::move(*from), std::move(*to));
}

llvm::Expected<PreparedCopy> PreparedCopy::prepare(const PlanStep &step, RankState &state) {
  PreparedCopy copy;
  copy.step_ = &step;
  const CopyStep &work = *step.copy();
  if (!state.memory.isFixed(work.from) || !state.memory.isFixed(work.to))
    return copy;
  auto tensors = tensorsOf(work, state, state.at(step.name));
  if (!tensors)
    return tensors.takeError();
  copy.fixed_ = std::move(*tensors);
  return copy;
}

llvm::Expected<std::pair<Tensor, Tensor>> PreparedCopy::bind(RankState &state) const {
  StepPlace place = state.at(step_->name);
  if (fixed_)
    return *fixed_;
  const CopyStep &work = *step_->copy();
  if (llvm::Error error = state.memory.makeRoom(work.to, state.symbols, place))
    return error;
  return tensorsOf(work, state, place);
}

llvm::Error PreparedCopy::run(RankState &state) const {
  auto copy = [](const std::pair<Tensor, Tensor> &ends) {
    ends.second.copyFrom(ends.first);
    return llvm::Error::success();
  };
  if (fixed_)
    return copy(*fixed_);
  llvm::Expected<std::pair<Tensor, Tensor>> ends = bind(state);
  return ends ? copy(*ends) : ends.takeError();
}

static const Plan &planOf(const PlanRequest &request, int64_t rank) {
  return *request.plans[request.plans.size() == 1 ? 0 : static_cast<size_t>(rank)];
}

static FlightRecorder::Setup recorderSetup(const PreparedRank::Setup &setup, const PlanRequest &request) {
  return {&planOf(request, setup.rank), setup.rank,           request.ranks, setup.engine,
          request.recordedCalls,        request.recordedSteps};
}

static std::shared_ptr<LayoutCache> layoutsOf(const PreparedRank::Setup &setup, const PlanRequest &request) {
  return setup.layouts ? setup.layouts : std::make_shared<LayoutCache>(planOf(request, setup.rank));
}

PreparedRank::PreparedRank(const Setup &setup, const PlanRequest &request)
    : state(planOf(request, setup.rank), setup.rank, layoutsOf(setup, request), setup.device),
      recorder(recorderSetup(setup, request)), faults(request.faults, setup.rank, setup.body), calls_(setup.calls),
      providers_(request.kernels), numRanks_(request.ranks), onePlan_(request.plans.size() == 1) {
  if (request.pace)
    pace.emplace(*state.plan, request.pace->steps[onePlan_ ? 0 : static_cast<size_t>(setup.rank)], request.pace->clock);
}

void PreparedRank::begin() {
  state.begin();
  recorder.begin();
  faults.begin();
}

llvm::Error PreparedRank::prepare() {
  growingUses.assign(state.plan->buffers.size(), 0);
  byStream.resize(state.plan->streams.size());
  if (!pace)
    if (llvm::Error error = prepareToCompute())
      return error;
  for (size_t position : faults.order(*state.plan))
    if (llvm::Error error = prepareStep(position))
      return error;
  auto keep = [&](const PlanWindow &window) { ++growingUses[window.buffer]; };
  for (const PlanValue &output : state.plan->outputs)
    forEachWindow(output, keep);
  for (const PlanInput &input : state.plan->inputs)
    forEachWindow(input.after, keep);
  return llvm::Error::success();
}

/// Returns an error for a plan with values in the host's memory, because no engine on a device runs such copies.
static llvm::Error refuseHostMemory(const RankState &state) {
  for (const PlanBuffer &buffer : state.plan->buffers)
    if (buffer.home == Home::Host)
      return state.at(buffer.name)
          .error("run.host-memory",
                 "keeps a value in the host's memory, which the engine on this device does not run; expected all "
                 "values on the device",
                 "run it on the local or mpi engine, or write it as FX for PyTorch: ccgraph-opt -o OUT.py");
  return llvm::Error::success();
}

llvm::Error PreparedRank::prepareToCompute() {
  const DeviceMemory *device = state.memory.device();
  if (llvm::Error error = device ? refuseHostMemory(state) : llvm::Error::success())
    return error;
  llvm::Expected<KernelChoice> kernels =
      KernelChoice::of(providers_, !device                 ? KernelChoice::Memory::Host
                                   : device->isSimulated() ? KernelChoice::Memory::SimulatedDevice
                                                           : KernelChoice::Memory::Device);
  if (!kernels)
    return kernels.takeError();
  kernels_ = std::move(*kernels);
  if (llvm::Error error = kernels_.check(*state.plan, state.rank))
    return error;
  return state.memory.layOut(state.symbols, state.at({}));
}

llvm::Error PreparedRank::prepareStep(size_t position) {
  const PlanStep &step = state.plan->steps[position];
  if (step.collective()) {
    llvm::Expected<PreparedExchange> exchange = prepareExchange(position);
    return exchange ? add(position, std::move(*exchange)) : exchange.takeError();
  }
  if (pace)
    return add(position, PreparedPause());
  if (step.kernel())
    return isByHost(step) ? prepareByHost(position) : prepareKernel(position);
  llvm::Expected<PreparedCopy> copy = PreparedCopy::prepare(step, state);
  return copy ? add(position, std::move(*copy)) : copy.takeError();
}

llvm::Error PreparedRank::add(size_t position, decltype(PreparedStep::work) work) {
  const PlanStep &step = state.plan->steps[position];
  byStream[step.stream].push_back(static_cast<uint32_t>(steps.size()));
  steps.push_back({&step, position, std::move(work), {}, false});
  countGrowing(steps.back());
  return llvm::Error::success();
}

llvm::Error PreparedRank::prepareKernel(size_t position) {
  llvm::Expected<PreparedKernel> kernel = PreparedKernel::prepare(state.plan->steps[position], state, kernels_);
  return kernel ? add(position, std::move(*kernel)) : kernel.takeError();
}

// Random operators are the engine's own, which computes them on the host.
bool PreparedRank::isByHost(const PlanStep &step) const {
  return state.memory.device() && (step.stream == Plan::hostStream || findRandomOp(step.kernel()->op->target.str()));
}

/// Its tensors are the host's copies, which are others each time.
llvm::Error PreparedRank::prepareByHost(size_t position) {
  state.memory.beginLending();
  llvm::Error error = prepareKernel(position);
  state.memory.endLending();
  if (!error)
    steps.back().byHost = true;
  return error;
}

llvm::Expected<PreparedExchange> PreparedRank::prepareExchange(size_t position) {
  // Ranks that run one plan launch the same step, so its position also identifies the call on the other ranks.
  PreparedCollective::Ranks ranks{numRanks_, onePlan_ ? std::optional(position) : std::nullopt};
  const PlanStep &step = state.plan->steps[position];
  llvm::Expected<PreparedCollective> collective =
      pace ? PreparedCollective::prepareTicks(step, state, ranks) : PreparedCollective::prepare(step, state, ranks);
  if (!collective)
    return collective.takeError();
  PreparedExchange exchange{std::move(*collective), {}};
  if (!faults.skips(position))
    enrol(exchange, position);
  mostCalls = std::max(mostCalls, exchange.calls.size());
  return exchange;
}

void PreparedRank::enrol(PreparedExchange &exchange, size_t position) {
  const PreparedCollective &collective = exchange.collective;
  for (const CallSeat &seat : collective.seats())
    exchange.calls.push_back({calls_.enrol(seat), std::nullopt});
  size_t next = 0;
  for (size_t i = 0; i < state.plan->steps[position].collective()->calls.size(); ++i) {
    exchange.calls[next].record = recorder.enrol(position, i);
    next += collective.ticks().empty() ? 1 : collective.ticks()[i].messages().size();
  }
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
