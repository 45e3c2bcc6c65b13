#include "nccl/nccl_rank.h"

#include "calls/gpu_error.h"
#include "engine/exchange_values.h"
#include "kernels/random.h"
#include "nccl/capture_check.h"
#include "nccl/host_step.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {

/// Numbers the calls in the order of the plan; the device's own calls move the rows.
class NcclRank::CallNumbers final : public CallRegister {
public:
  Ticket enrol(const CallSeat &) override { return calls_++; }

private:
  Ticket calls_ = 0;
};

NcclRank::NcclRank(const Setup &setup, const PlanRequest &request)
    : rank_(setup.rank), ranks_(static_cast<int>(request.ranks)), calls_(*setup.calls), commTable_(*setup.commTable),
      deadline_(request.deadline), captures_(request.capture), plans_(request.plans), communicators_(calls_, rank_),
      memory_(std::make_unique<GpuMemory>(
          calls_, rank_,
          GpuMemory::Owner{[this](GpuStream stream) { return await(stream); },
                           [this](const std::byte *memory) { communicators_.forget(memory); }})),
      numbers_(std::make_unique<CallNumbers>()),
      prepared_(std::make_unique<PreparedRank>(
          PreparedRank::Setup{rank_, *numbers_, setup.engine, setup.body, setup.layouts, memory_.get()}, request)),
      rows_(nullptr, nullptr), scratch_(calls_), selfTransfers_(calls_, rank_) {
  if (request.timeSteps)
    clock_.emplace(calls_, rank_);
}

NcclRank::~NcclRank() {
  llvm::consumeError(std::move(workError_));
  if (graph_)
    calls_.destroyGraph(*graph_);
  pools_.clear();
  if (signal_)
    calls_.release(signal_);
  joined_.insert(joined_.end(), {forked_, awaited_});
  joined_.insert(joined_.end(), events_.begin(), events_.end());
  for (GpuEvent event : joined_)
    if (event.raw != 0)
      calls_.destroyEvent(event);
  for (GpuStream stream : streams_)
    if (stream.raw != 0)
      calls_.destroyStream(stream);
}

llvm::Error NcclRank::check(int code, const char *doing, const PreparedStep *step) const {
  if (code == 0)
    return llvm::Error::success();
  std::string what = step ? ("`" + step->plan->name.str() + "`, " + doing).str() : std::string(doing);
  return gpuError(calls_, rank_, what, code);
}

// --- Before the first run -------------------------------------------------------------------------------------

llvm::Error NcclRank::prepare() {
  // The stream of computation copies memory to the device, so it is made first.
  streams_.resize(prepared_->state.plan->streams.size());
  if (llvm::Error error = makeStreams())
    return error;
  memory_->use(streams_[Plan::computeStream]);
  if (llvm::Error error = prepared_->prepare())
    return error;
  if (llvm::Error error = makeEvents())
    return error;
  workOf_.resize(prepared_->steps.size());
  for (size_t index = 0; index < prepared_->steps.size(); ++index)
    if (auto *kernel = std::get_if<PreparedKernel>(&prepared_->steps[index].work))
      workOf_[index] = std::make_shared<KernelWork>(*this, *kernel, *prepared_->steps[index].plan);
  commsOfCalls_ = commTable_.commsOf(plan(), rank_);
  if (llvm::Error error = prepareClock())
    return error;
  return captures_ ? prepareCapture() : llvm::Error::success();
}

llvm::Error NcclRank::prepareCapture() {
  if (llvm::Error error = checkCapture(*prepared_))
    return error;
  allocators_ = prepared_->kernels().allocatorsOf(plan());
  rehearses_ =
      llvm::any_of(plans_, [&](const Plan *plan) { return !prepared_->kernels().allocatorsOf(*plan).empty(); });
  return llvm::Error::success();
}

llvm::Error NcclRank::makeStreams() {
  const Plan &plan = *prepared_->state.plan;
  std::vector<bool> used(plan.streams.size());
  used[Plan::computeStream] = true;
  for (const PlanStep &step : plan.steps)
    used[step.stream] = true;
  for (size_t stream = 0; stream < used.size(); ++stream)
    if (used[stream])
      if (llvm::Error error =
              check(calls_.createStream(plan.streams[stream].name, streams_[stream]), "making a stream"))
        return error;
  return llvm::Error::success();
}

llvm::Error NcclRank::makeEvents() {
  auto make = [&](const std::string &name, GpuEvent &event) {
    return check(calls_.createEvent(name, event), "making an event");
  };
  events_.resize(plan().numEvents);
  byHost_.resize(plan().numEvents);
  joined_.resize(plan().streams.size());
  for (const PlanStep &step : plan().steps) {
    if (step.event && step.stream == Plan::hostStream)
      byHost_[*step.event] = true;
    const CollectiveStep *work = step.collective();
    bool barrier = work && llvm::any_of(work->calls, [](const PlanCollective &call) {
                     return call.kind == CollectiveKind::Barrier;
                   });
    if (barrier && !signal_)
      if (llvm::Error error = check(calls_.allocate(GpuPurpose::Growing, 4, signal_), "taking memory"))
        return error;
  }
  rows_ = RowCalls(signal_, [this](int64_t bytes) { return scratch_.take(bytes); });
  for (size_t event = 0; event < events_.size(); ++event)
    if (llvm::Error error = make("event " + std::to_string(event), events_[event]))
      return error;
  for (size_t stream = 0; stream < streams_.size(); ++stream)
    if (isJoined(stream))
      if (llvm::Error error = make("the end of " + plan().streams[stream].name, joined_[stream]))
        return error;
  if (llvm::Error error = make("the inputs", forked_))
    return error;
  return make("all", awaited_);
}

llvm::Error NcclRank::open(const GpuJobId &id) {
  if (llvm::Error error = communicators_.open(commTable_, id, ranks_))
    return error;
  // No memory can be allocated while steps are captured.
  if (captures_)
    for (PreparedStep &step : prepared_->steps)
      if (auto *exchange = std::get_if<PreparedExchange>(&step.work))
        if (llvm::Error error = addCalls(step, *exchange, {}))
          return error;
  const Arena &arena = prepared_->state.memory.communication();
  return communicators_.registerArena(arena.data(), arena.size());
}

// --- A run ----------------------------------------------------------------------------------------------------

llvm::Expected<RankLoop::End> NcclRank::run(const TensorMap &inputs, Standby &standby) {
  standby_ = &standby;
  stopped_ = dead_ = false;
  StepMemory::Use stepMemory(prepared_->state.stepMemory);
  prepared_->begin();
  llvm::Expected<RankLoop::End> end =
      withinMemory<RankLoop::End>([&] { return runSteps(inputs); },
                                  [&](const std::string &asked) { return prepared_->state.at({}).outOfMemory(asked); });
  if (end)
    return end;
  abandon();
  if (!stopped_ && !dead_)
    return end;
  llvm::consumeError(end.takeError());
  return dead_ ? RankLoop::End::Dead : RankLoop::End::Stopped;
}

llvm::Expected<RankLoop::End> NcclRank::runSteps(const TensorMap &inputs) {
  RankState &state = prepared_->state;
  memory_->use(streams_[Plan::computeStream]);
  if (llvm::Error error = bringInputs(state, inputs))
    return error;
  const Arena &arena = state.memory.communication();
  if (llvm::Error error = communicators_.registerArena(arena.data(), arena.size()))
    return error;
  if (rehearses_ && !graph_)
    if (llvm::Error error = rehearse(inputs))
      return error;
  if (llvm::Error error = placeClock())
    return error;
  if (llvm::Error error = captures_ ? launchCaptured() : enqueueSteps())
    return error;
  memory_->use(streams_[Plan::computeStream]);
  CopiesForCaller copies;
  llvm::Expected<TensorMap> results = ccgraph::runtime::takeResults(state, copies);
  if (!results)
    return results.takeError();
  results_ = std::move(*results);
  selfTransfers_.clear();
  noteEnded();
  if (llvm::Error error = noteTimes())
    return error;
  return RankLoop::End::Finished;
}

llvm::Error NcclRank::enqueueSteps() {
  if (llvm::Error error = fork())
    return error;
  if (llvm::Error error = issueAll())
    return error;
  return join();
}

/// The work of a library's first call cannot be done while a stream is captured, so the steps run once before. All
/// ranks do it if one of them needs it, since they communicate. Steps may have written to the inputs, so these are
/// copied again.
llvm::Error NcclRank::rehearse(const TensorMap &inputs) {
  if (llvm::Error error = enqueueSteps())
    return error;
  if (llvm::Error error = await(streams_[Plan::computeStream]))
    return error;
  prepared_->begin();
  return bringInputs(prepared_->state, inputs);
}

llvm::Error NcclRank::launchCaptured() {
  if (!graph_) {
    if (llvm::Error error = capture())
      return error;
  } else {
    for (const PreparedStep &step : prepared_->steps)
      noteIssued(step);
  }
  return check(calls_.launchGraph(*graph_, streams_[Plan::computeStream]), "launching the captured steps");
}

llvm::Error NcclRank::capture() {
  GpuStream origin = streams_[Plan::computeStream];
  if (llvm::Error error = pools_.begin(allocators_, {origin.raw, &calls_, calls_.isSimulated()}))
    return error;
  llvm::Error error = captureSteps(origin);
  return llvm::joinErrors(std::move(error), pools_.end());
}

llvm::Error NcclRank::captureSteps(GpuStream origin) {
  if (llvm::Error error = check(calls_.beginCapture(origin), "capturing the steps"))
    return error;
  if (llvm::Error error = enqueueSteps())
    return error;
  GpuGraph graph;
  if (llvm::Error error = check(calls_.endCapture(origin, graph), "capturing the steps"))
    return error;
  graph_ = graph;
  return llvm::Error::success();
}

llvm::Error NcclRank::fork() {
  GpuStream origin = streams_[Plan::computeStream];
  if (llvm::Error error = check(calls_.record(forked_, origin), "recording an event"))
    return error;
  for (GpuStream stream : streams_)
    if (stream.raw != 0 && stream.raw != origin.raw)
      if (llvm::Error error = check(calls_.wait(stream, forked_), "waiting for an event"))
        return error;
  return llvm::Error::success();
}

// The host has waited for all work of its own stream.
bool NcclRank::isJoined(size_t stream) const {
  return streams_[stream].raw != 0 && stream != Plan::computeStream && stream != Plan::hostStream;
}

llvm::Error NcclRank::join() {
  GpuStream origin = streams_[Plan::computeStream];
  for (size_t stream = 0; stream < streams_.size(); ++stream) {
    if (!isJoined(stream))
      continue;
    if (llvm::Error error = check(calls_.record(joined_[stream], streams_[stream]), "recording an event"))
      return error;
    if (llvm::Error error = check(calls_.wait(origin, joined_[stream]), "waiting for an event"))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error NcclRank::issueAll() {
  for (size_t index = 0; index < prepared_->steps.size(); ++index)
    if (llvm::Error error = issue(index))
      return error;
  return llvm::Error::success();
}

llvm::Error NcclRank::issue(size_t index) {
  const PreparedStep &step = prepared_->steps[index];
  const PlanStep &planned = *step.plan;
  GpuStream stream = streams_[planned.stream];
  if (prepared_->faults.any()) {
    dead_ = !prepared_->faults.letBegin(step.position, *standby_);
    stopped_ = !dead_ && standby_->isOver();
    if (dead_ || stopped_)
      return ncclError("the rank has stopped");
  }
  for (EventId event : planned.waits)
    if (!byHost_[event])
      if (llvm::Error error = check(calls_.wait(stream, events_[event]), "waiting for an event", &step))
        return error;
  if (llvm::Error error = enqueue(index, stream))
    return error;
  noteIssued(step);
  if (!planned.event || byHost_[*planned.event])
    return llvm::Error::success();
  return check(calls_.record(events_[*planned.event], stream), "recording an event", &step);
}

llvm::Error NcclRank::enqueue(size_t index, GpuStream stream) {
  if (prepared_->steps[index].byHost)
    return computeOnHost(index, stream);
  if (!clock_)
    return enqueueWork(index, stream);
  if (llvm::Error error = clock_->begin(index, stream))
    return error;
  if (llvm::Error error = enqueueWork(index, stream))
    return error;
  return clock_->end(index, stream);
}

llvm::Error NcclRank::enqueueWork(size_t index, GpuStream stream) {
  PreparedStep &step = prepared_->steps[index];
  if (auto *kernel = std::get_if<PreparedKernel>(&step.work))
    return enqueueKernel(index, *kernel, stream);
  if (auto *copy = std::get_if<PreparedCopy>(&step.work))
    return enqueueCopy(step, *copy, stream);
  return enqueueExchange(step, std::get<PreparedExchange>(step.work), stream);
}

llvm::Error NcclRank::enqueueKernel(size_t index, PreparedKernel &kernel, GpuStream stream) {
  const PreparedStep &step = prepared_->steps[index];
  RankState &state = prepared_->state;
  llvm::Error error = llvm::Error::success();
  forEachWindow(step.plan->kernel()->result, [&](const PlanWindow &window) {
    if (!error)
      error = state.memory.makeRoom(window, state.symbols, state.at(step.plan->name));
  });
  if (error)
    return error;
  if (llvm::Error failed = kernel.bind(state))
    return failed;
  if (kernel.isOnDevice())
    return kernel.enqueueBound(state, {stream.raw, &calls_, calls_.isSimulated(), pools_.of(kernel.allocator())});
  return check(calls_.launch(workOf_[index], stream), "launching a kernel", &step);
}

bool NcclRank::KernelWork::run() {
  llvm::Error error = withinMemory([&] { return kernel_.runBound(rank_.prepared_->state); },
                                   [&](const std::string &asked) {
                                     return rank_.prepared_->state.at(step_.name)
                                         .error("run.memory", "needs " + asked + ", more than this run may hold");
                                   });
  if (!error)
    return true;
  if (rank_.workError_)
    llvm::consumeError(std::move(error));
  else
    rank_.workError_ = std::move(error);
  return false;
}

llvm::Error NcclRank::enqueueCopy(const PreparedStep &step, const PreparedCopy &copy, GpuStream stream) {
  llvm::Expected<std::pair<Tensor, Tensor>> ends = copy.bind(prepared_->state);
  if (!ends)
    return ends.takeError();
  const auto &[from, to] = *ends;
  bool plain = from.isContiguous() && to.isContiguous();
  int64_t bytes = from.numElements() * from.elementSize();
  GpuElements elements{from.data(), to.data(), from.elementSize(), from.sizes(), from.strides(), to.strides()};
  return check(plain ? calls_.copy(GpuCopy::OnDevice, to.data(), from.data(), bytes, stream)
                     : calls_.copyElements(elements, stream),
               "copying", &step);
}

llvm::Error NcclRank::enqueueExchange(const PreparedStep &step, PreparedExchange &exchange, GpuStream stream) {
  if (llvm::Error error = addCalls(step, exchange, stream))
    return error;
  return check(rows_.issue(calls_, stream), "communicating", &step);
}

llvm::Error NcclRank::addCalls(const PreparedStep &step, PreparedExchange &exchange, GpuStream stream) {
  if (llvm::Error error = exchange.collective.bind(prepared_->state))
    return error;
  rows_.clear();
  scratch_.begin(step.position);
  for (size_t i = 0; i < exchange.calls.size(); ++i) {
    const Launch &launch = prepared_->faults.launched(step.position, exchange.collective.launches()[i]);
    size_t comm = commsOfCalls_[exchange.calls[i].ticket];
    if (llvm::Error error = addCall(exchange.collective.seats()[i], launch, comm, stream))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error NcclRank::addCall(const CallSeat &seat, const Launch &launch, size_t comm, GpuStream stream) {
  if (isPointToPoint(launch.kind) && seat.members[seat.peer] == rank_)
    return selfTransfers_.add(launch, comm, stream);
  rows_.add(seat, launch, communicators_.of(comm));
  return llvm::Error::success();
}

llvm::Error NcclRank::computeOnHost(size_t index, GpuStream stream) {
  PreparedStep &step = prepared_->steps[index];
  memory_->use(stream);
  HostStep host(*step.plan, prepared_->state);
  if (host.fetch() || !step.plan->waits.empty())
    if (llvm::Error error = memory_->settle())
      return error;
  if (clock_)
    clock_->beginOnHost(index);
  host.begin();
  llvm::Error error = std::get<PreparedKernel>(step.work).run(prepared_->state);
  bool sends = host.end();
  if (error)
    return error;
  // Steps after a host step begin when that has ended, and the sent buffers are released.
  if (llvm::Error failed = sends ? memory_->settle() : llvm::Error::success())
    return failed;
  if (clock_)
    clock_->endOnHost(index);
  return llvm::Error::success();
}

} // namespace ccgraph::runtime
