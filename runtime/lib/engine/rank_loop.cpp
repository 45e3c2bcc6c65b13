#include "engine/rank_loop.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <thread>

namespace ccgraph::runtime {

RankLoop::RankLoop(PreparedRank &prepared, std::optional<uint64_t> seed)
    : prepared_(prepared), streams_(prepared.state.plan->streams.size()), recorded_(prepared.state.plan->numEvents),
      growingUses_(prepared.growingUses) {
  for (size_t stream = 0; stream < streams_.size(); ++stream) {
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

llvm::Error RankLoop::run(Standby &standby) {
  StepMemory::Use stepMemory(prepared_.state.stepMemory);
  std::optional<Watch::Clock::time_point> idleSince;
  while (!isFinished()) {
    if (standby.isOver())
      return llvm::Error::success();
    uint64_t seen = standby.news();
    findChoices();
    if (choices_.empty()) {
      idleSince = idleSince ? idleSince : Watch::Clock::now();
      standby.sleep(*this, seen, *idleSince);
      continue;
    }
    idleSince.reset();
    if (!holdBack()) {
      std::this_thread::yield();
      continue;
    }
    if (llvm::Error error = act(choose()))
      return error;
  }
  return llvm::Error::success();
}

bool RankLoop::mayBegin(const PlanStep &step) const {
  return llvm::all_of(step.waits, [&](EventId event) { return recorded_[event]; });
}

bool RankLoop::canGoOn(const StreamState &stream) const {
  if (stream.isIdle())
    return false;
  if (!stream.launched)
    return mayBegin(*prepared_.steps[stream.head()].plan);
  return llvm::any_of(stream.open, [&](Transport::Ticket ticket) { return prepared_.transport->isReady(ticket); });
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
  // Because to issue is the first choice where it is one at all.
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

llvm::Error RankLoop::act(uint32_t choice) { return choice == issueNext ? issue() : goOn(streams_[choice]); }

llvm::Error RankLoop::issue() {
  uint32_t step = next_++;
  StreamId stream = prepared_.steps[step].plan->stream;
  ++streams_[stream].issued;
  ++inQueues_;
  if (stream != Plan::hostStream)
    return llvm::Error::success();
  return goOn(streams_[stream]);
}

llvm::Error RankLoop::goOn(StreamState &stream) {
  PreparedStep &step = prepared_.steps[stream.head()];
  busy_.store(stream.head(), std::memory_order_relaxed);
  llvm::Expected<bool> ended =
      withinMemory<bool>([&] { return advance(stream, step); },
                         [&](const std::string &asked) {
                           return prepared_.state.at(step.plan->name)
                               .error("run.memory", "needs " + asked + ", more than this run may hold",
                                      "run fewer ranks, or the program with smaller sizes");
                         });
  busy_.store(~0U, std::memory_order_relaxed);
  if (!ended)
    return ended.takeError();
  if (*ended)
    pop(stream);
  return llvm::Error::success();
}

llvm::Expected<bool> RankLoop::advance(StreamState &stream, PreparedStep &step) {
  if (auto *exchange = std::get_if<PreparedExchange>(&step.work)) {
    llvm::Error error = stream.launched ? advanceCalls(stream) : launch(stream, *exchange);
    return error ? llvm::Expected<bool>(std::move(error)) : stream.open.empty();
  }
  auto *kernel = std::get_if<PreparedKernel>(&step.work);
  llvm::Error error = kernel ? kernel->run(prepared_.state) : std::get<PreparedCopy>(step.work).run(prepared_.state);
  return error ? llvm::Expected<bool>(std::move(error)) : true;
}

llvm::Error RankLoop::launch(StreamState &stream, PreparedExchange &exchange) {
  if (llvm::Error error = exchange.collective.bind(prepared_.state))
    return error;
  for (size_t i = 0; i < exchange.tickets.size(); ++i)
    if (llvm::Error error = prepared_.transport->launch(exchange.tickets[i], exchange.collective.launches()[i]))
      return error;
  stream.launched = true;
  stream.open = exchange.tickets;
  return llvm::Error::success();
}

llvm::Error RankLoop::advanceCalls(StreamState &stream) {
  for (size_t i = 0; i < stream.open.size();) {
    llvm::Expected<bool> complete = prepared_.transport->isReady(stream.open[i])
                                        ? prepared_.transport->advance(stream.open[i])
                                        : llvm::Expected<bool>(false);
    if (!complete)
      return complete.takeError();
    if (*complete)
      stream.open.erase(stream.open.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  return llvm::Error::success();
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
  if (ended.plan->event)
    recorded_[*ended.plan->event] = true;
  for (BufferId buffer : ended.growing)
    if (--growingUses_[buffer] == 0)
      prepared_.state.memory.release(buffer);
}

std::string RankLoop::busyText() const {
  uint32_t step = busy_.load(std::memory_order_relaxed);
  return step == ~0U ? "" : (" with `" + nameOf(step) + "`").str();
}

std::vector<std::string> RankLoop::exchangeWaits(const StreamState &stream) const {
  std::vector<std::string> texts;
  for (Transport::Ticket ticket : stream.open)
    texts.push_back(
        (llvm::Twine("rank ") + llvm::Twine(rank()) + " waits for " + prepared_.transport->waitText(ticket)).str());
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
    else if (!stream.isIdle())
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
