#include "engine/rank_loop.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <thread>
#include <utility>

namespace ccgraph::runtime {

RankLoop::RankLoop(PreparedRank &prepared, Transport &transport, std::optional<uint64_t> seed)
    : prepared_(prepared), transport_(transport), streams_(prepared.state.plan->streams.size()),
      recorded_(prepared.state.plan->numEvents), growingUses_(prepared.growingUses) {
  for (size_t stream = 0; stream < streams_.size(); ++stream) {
    streams_[stream].number = static_cast<StreamId>(stream);
    streams_[stream].steps = prepared.byStream[stream];
    streams_[stream].open.reserve(prepared.mostCalls);
  }
  choices_.reserve(streams_.size() + 1);
  if (!seed)
    return;
  order_.emplace(*seed * 0x9e3779b97f4a7c15 + static_cast<uint64_t>(prepared.state.rank));
  if (*seed % 4 != 0)
    heldBack_ = static_cast<StreamId>(order_->next() % streams_.size());
}

llvm::Expected<RankLoop::End> RankLoop::run(Standby &standby) {
  standby_ = &standby;
  StepMemory::Use stepMemory(prepared_.state.stepMemory);
  StreamThreads threads(*prepared_.state.plan);
  threads_ = &threads;
  if (prepared_.pace)
    prepared_.pace->begin();
  Standby::Since idleSince;
  bool idle = false;
  while (!isFinished()) {
    if (standby.isOver())
      return End::Stopped;
    uint64_t seen = standby.news();
    findChoices();
    bool rested = choices_.empty() && prepared_.pace && restUntilOneEnds(seen);
    if (choices_.empty() && !rested) {
      idle = true;
      prepared_.recorder.setWaiting();
      present_.reset();
      standby.sleep(*this, seen, idleSince);
      continue;
    }
    if (idle)
      setFree();
    idle = false;
    idleSince.reset();
    if (rested)
      continue;
    if (!holdBack()) {
      std::this_thread::yield();
      continue;
    }
    if (llvm::Error error = act(choose()))
      return error;
    if (dead_) {
      prepared_.recorder.setLost();
      return End::Dead;
    }
  }
  prepared_.recorder.setEnded();
  return End::Finished;
}

// An error leaves the current activity of a rank in its record: the others may have waited for it.
void RankLoop::setFree() {
  if (!standby_->isOver())
    prepared_.recorder.setBusy();
}

bool RankLoop::mayBegin(const PlanStep &step) const {
  return llvm::all_of(step.waits, [&](EventId event) { return recorded_[event]; });
}

bool RankLoop::canGoOn(const StreamState &stream) const {
  if (stream.isIdle())
    return false;
  if (stream.pausing)
    return hasPassed(stream);
  if (!stream.launched)
    return mayBegin(*prepared_.steps[stream.head()].plan);
  return llvm::any_of(stream.open, [&](const PreparedExchange::Call &call) { return isReady(stream, call); });
}

bool RankLoop::isReady(const StreamState &stream, const PreparedExchange::Call &call) const {
  // Looking at a peer takes longer than reading the clock.
  present_.reset();
  return threads_->as(stream.number, [this, ticket = call.ticket] { return transport_.isReady(ticket); });
}

bool RankLoop::mayIssue() const {
  if (next_ == prepared_.steps.size() || !streams_[Plan::hostStream].isIdle())
    return false;
  const PlanStep &step = *prepared_.steps[next_].plan;
  return step.stream != Plan::hostStream || mayBegin(step);
}

void RankLoop::findChoices() {
  choices_.clear();
  if (mayIssue())
    choices_.push_back(issueNext);
  for (uint32_t stream = 0; stream < streams_.size(); ++stream)
    if (canGoOn(streams_[stream]))
      choices_.push_back(stream);
}

bool RankLoop::communicates(uint32_t choice) const {
  return choice != issueNext && choice != Plan::hostStream && choice != Plan::computeStream;
}

uint32_t RankLoop::choose() {
  if (order_)
    return choices_[order_->next() % choices_.size()];
  // Issuing is the first choice where it is possible.
  auto communication = llvm::find_if(choices_, [&](uint32_t choice) { return communicates(choice); });
  return communication != choices_.end() ? *communication : choices_.front();
}

bool RankLoop::holdBack() {
  if (!heldBack_ || !llvm::is_contained(choices_, *heldBack_))
    return true;
  if (choices_.size() > 1) {
    llvm::erase_value(choices_, *heldBack_);
    return true;
  }
  if (patience_ > 0) {
    --patience_;
    return false;
  }
  patience_ = mostPatience;
  return true;
}

llvm::Error RankLoop::act(uint32_t choice) {
  if (choice == issueNext)
    return order_ ? issue() : issueAhead();
  StreamState &stream = streams_[choice];
  size_t ended = stream.ended;
  if (llvm::Error error = goOn(stream))
    return error;
  // Nothing precedes a collective in the order for speed, so a collective that follows another begins immediately.
  bool follows = !order_ && communicates(choice) && stream.ended != ended && canGoOn(stream);
  return follows ? goOn(stream) : llvm::Error::success();
}

// Checking peers between two issues would cost more than both. After a host step, the state of the peers may have
// changed.
llvm::Error RankLoop::issueAhead() {
  for (uint32_t i = 0; i < mostIssuedAtOnce && mayIssue(); ++i) {
    bool host = prepared_.steps[next_].plan->stream == Plan::hostStream;
    if (llvm::Error error = issue(); error || host)
      return error;
  }
  return llvm::Error::success();
}

llvm::Error RankLoop::issue() {
  uint32_t step = next_++;
  StreamId stream = prepared_.steps[step].plan->stream;
  ++streams_[stream].issued;
  threads_->issue(stream);
  ++inQueues_;
  if (prepared_.pace)
    prepared_.pace->issue(prepared_.steps[step].position);
  if (auto *exchange = std::get_if<PreparedExchange>(&prepared_.steps[step].work))
    for (const PreparedExchange::Call &call : exchange->calls)
      if (call.record)
        prepared_.recorder.schedule(*call.record, issuedAt(prepared_.steps[step].position));
  if (stream != Plan::hostStream)
    return llvm::Error::success();
  return goOn(streams_[stream]);
}

llvm::Error RankLoop::goOn(StreamState &stream) {
  if (stream.pausing) {
    endPause(stream);
    return llvm::Error::success();
  }
  PreparedStep &step = prepared_.steps[stream.head()];
  prepared_.recorder.setBusyWith(step.position);
  completed_.reset();
  if (!stream.launched) {
    if (prepared_.faults.any()) {
      dead_ = !prepared_.faults.letBegin(step.position, *standby_);
      present_.reset();
    }
    if (dead_ || standby_->isOver())
      return llvm::Error::success();
    threads_->begin(*step.plan);
    begun_ = readyAt(step.position);
    prepared_.recorder.beginStep(step.position, begun_);
  }
  present_.reset();
  llvm::Expected<bool> ended = withinMemory<bool>(
      [&] { return advance(stream, step); },
      [&](const std::string &asked) { return prepared_.state.at(step.plan->name).outOfMemory(asked); });
  setFree();
  if (!ended)
    return ended.takeError();
  if (*ended && prepared_.pace)
    pause(stream);
  else if (*ended)
    pop(stream);
  return llvm::Error::success();
}

llvm::Expected<bool> RankLoop::advance(StreamState &stream, PreparedStep &step) {
  if (auto *exchange = std::get_if<PreparedExchange>(&step.work)) {
    llvm::Error error = stream.launched ? advanceCalls(stream) : launch(stream, *exchange);
    return error ? llvm::Expected<bool>(std::move(error)) : stream.open.empty();
  }
  return threads_->as(stream.number, [this, &step] { return work(step); });
}

llvm::Expected<bool> RankLoop::work(PreparedStep &step) {
  if (std::holds_alternative<PreparedPause>(step.work))
    return true;
  auto *kernel = std::get_if<PreparedKernel>(&step.work);
  llvm::Error error = kernel ? kernel->run(prepared_.state) : std::get<PreparedCopy>(step.work).run(prepared_.state);
  return error ? llvm::Expected<bool>(std::move(error)) : true;
}

llvm::Error RankLoop::launch(StreamState &stream, PreparedExchange &exchange) {
  static const Launch nothingMoves;
  if (llvm::Error error = bind(stream, exchange))
    return error;
  size_t position = prepared_.steps[stream.head()].position;
  stream.launched = true;
  stream.open = exchange.calls;
  for (size_t i = 0; i < exchange.calls.size(); ++i) {
    const Launch *launch = threads_->as(stream.number, [this, position, &exchange, i] {
      const Launch &meant = exchange.collective.launches()[i];
      return prepared_.faults.any() ? &prepared_.faults.launched(position, meant) : &meant;
    });
    if (std::optional<FlightRecorder::Call> record = exchange.calls[i].record)
      prepared_.recorder.start(*record, prepared_.pace ? nothingMoves : *launch, begun_);
    if (llvm::Error error = threads_->as(stream.number, [this, ticket = exchange.calls[i].ticket, launch] {
          return transport_.launch(ticket, *launch);
        }))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error RankLoop::bind(StreamState &stream, PreparedExchange &exchange) {
  int64_t ready = prepared_.pace ? prepared_.pace->readyAt(prepared_.steps[stream.head()].position) : 0;
  return threads_->as(stream.number, [this, &exchange, ready] {
    llvm::Error error = exchange.collective.bind(prepared_.state);
    for (const Tick &tick : exchange.collective.ticks())
      tick.setReady(ready);
    return error;
  });
}

llvm::Error RankLoop::advanceCalls(StreamState &stream) {
  for (size_t i = 0; i < stream.open.size();) {
    Transport::Ticket ticket = stream.open[i].ticket;
    llvm::Expected<bool> complete = threads_->as(stream.number, [this, ticket] {
      return transport_.isReady(ticket) ? transport_.advance(ticket) : llvm::Expected<bool>(false);
    });
    if (!complete)
      return complete.takeError();
    if (*complete && !prepared_.pace) {
      completed_ = prepared_.recorder.moment();
      prepared_.recorder.complete(*stream.open[i].record, completed_);
    }
    if (*complete)
      stream.open.erase(stream.open.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  return llvm::Error::success();
}

// --- Simulated durations --------------------------------------------------------------------------------------

FlightRecorder::Moment RankLoop::present() const {
  if (!present_)
    present_ = prepared_.recorder.moment();
  return present_;
}

FlightRecorder::Moment RankLoop::issuedAt(size_t position) const {
  if (!prepared_.pace)
    return present();
  return RankPace::momentOf(prepared_.pace->issuedAt(position));
}

FlightRecorder::Moment RankLoop::readyAt(size_t position) const {
  if (!prepared_.pace)
    return present();
  return RankPace::momentOf(prepared_.pace->readyAt(position));
}

FlightRecorder::Moment RankLoop::endOf(size_t position) {
  if (!prepared_.pace) {
    present_ = std::exchange(completed_, {});
    return present();
  }
  return RankPace::momentOf(prepared_.pace->ends()[position]);
}

void RankLoop::pause(StreamState &stream) {
  const PreparedStep &step = prepared_.steps[stream.head()];
  int64_t begin = prepared_.pace->readyAt(step.position);
  if (const auto *exchange = std::get_if<PreparedExchange>(&step.work))
    for (const Tick &tick : exchange->collective.ticks())
      begin = std::max(begin, tick.begin());
  prepared_.pace->start(step.position, begin);
  stream.pausing = true;
  if (hasPassed(stream))
    endPause(stream);
}

void RankLoop::endPause(StreamState &stream) {
  const PreparedStep &step = prepared_.steps[stream.head()];
  if (const auto *exchange = std::get_if<PreparedExchange>(&step.work))
    for (const PreparedExchange::Call &call : exchange->calls)
      if (call.record)
        prepared_.recorder.complete(*call.record, endOf(step.position));
  prepared_.pace->end(step.position);
  stream.pausing = false;
  pop(stream);
}

bool RankLoop::hasPassed(const StreamState &stream) const {
  return prepared_.pace->hasPassed(prepared_.steps[stream.head()].position);
}

bool RankLoop::restUntilOneEnds(uint64_t seen) {
  std::optional<size_t> first;
  for (const StreamState &stream : streams_)
    if (stream.pausing)
      if (size_t step = prepared_.steps[stream.head()].position;
          !first || prepared_.pace->ends()[step] < prepared_.pace->ends()[*first])
        first = step;
  if (!first)
    return false;
  prepared_.recorder.setBusyWith(*first);
  std::chrono::nanoseconds left = prepared_.pace->idleUntilEnd(*first);
  if (left.count() > 0)
    standby_->rest(seen, Standby::Clock::now() + left);
  return true;
}

void RankLoop::pop(StreamState &stream) {
  uint32_t step = stream.head();
  ++stream.ended;
  stream.launched = false;
  --inQueues_;
  end(step);
}

void RankLoop::end(uint32_t step) {
  const PreparedStep &ended = prepared_.steps[step];
  prepared_.recorder.endStep(ended.position, endOf(ended.position));
  threads_->end(*ended.plan);
  if (ended.plan->event)
    recorded_[*ended.plan->event] = true;
  for (BufferId buffer : ended.growing)
    if (--growingUses_[buffer] == 0)
      prepared_.state.memory.release(buffer);
}

std::string RankLoop::busyText() const {
  std::optional<size_t> step = prepared_.recorder.busyWith();
  return step ? (" with `" + prepared_.state.plan->steps[*step].name.str() + "`").str() : "";
}

std::vector<std::string> RankLoop::exchangeWaits(const StreamState &stream) const {
  std::vector<std::string> texts;
  for (const PreparedExchange::Call &call : stream.open)
    texts.push_back(
        (llvm::Twine("rank ") + llvm::Twine(rank()) + " waits for " + transport_.waitText(call.ticket)).str());
  return texts;
}

std::string RankLoop::eventWait(uint32_t step) const {
  const PlanStep &waiting = *prepared_.steps[step].plan;
  EventId event = *llvm::find_if(waiting.waits, [&](EventId e) { return !recorded_[e]; });
  std::string recorder = "which no step records";
  for (const PlanStep &other : prepared_.state.plan->steps)
    if (other.event == event)
      recorder = ("which `" + other.name.str() + "` records").str();
  return (llvm::Twine("rank ") + llvm::Twine(rank()) + ": `" + nameOf(step) + "` waits for event " +
          llvm::Twine(event) + ", " + recorder)
      .str();
}

std::vector<std::string> RankLoop::waitTexts() const {
  std::vector<std::string> exchanges, events;
  for (const StreamState &stream : streams_) {
    if (stream.launched)
      llvm::append_range(exchanges, exchangeWaits(stream));
    else if (!stream.isIdle() && !stream.pausing)
      events.push_back(eventWait(stream.head()));
  }
  if (next_ < prepared_.steps.size() && !mayBegin(*prepared_.steps[next_].plan))
    events.push_back(eventWait(next_));
  return exchanges.empty() ? events : exchanges;
}

std::string RankLoop::position() const {
  for (const StreamState &stream : streams_)
    if (stream.launched)
      return nameOf(stream.head()).str();
  for (const StreamState &stream : streams_)
    if (!stream.isIdle())
      return nameOf(stream.head()).str();
  return nameOf(next_).str();
}

} // namespace ccgraph::runtime
