#include "watch/watch.h"

#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/STLExtras.h"

#include <thread>

namespace ccgraph::runtime {

Watch::Watch(std::vector<const Sleeper *> sleepers, std::chrono::milliseconds deadline)
    : sleepers_(std::move(sleepers)), deadline_(deadline), states_(sleepers_.size(), State::Awake) {}

Watch::~Watch() {
  for (auto &[rank, error] : errors_)
    llvm::consumeError(std::move(error));
}

size_t Watch::indexOf(const Sleeper &sleeper) const {
  return static_cast<size_t>(llvm::find(sleepers_, &sleeper) - sleepers_.begin());
}

void Watch::tell() {
  {
    Lock lock(mutex_);
    news_.fetch_add(1, std::memory_order_release);
    // Sleeping ranks may continue now, so a deadlock is judged anew by those that find they cannot.
    lastNews_ = Clock::now();
    std::replace(states_.begin(), states_.end(), State::Asleep, State::Awake);
  }
  wake_.notify_all();
}

bool Watch::nobodyAwake() const { return !llvm::is_contained(states_, State::Awake); }

void Watch::sleep(const Sleeper &sleeper, uint64_t seen, Since &since) {
  since = since ? since : Clock::now();
  Lock lock(mutex_);
  if (news_ != seen || over_)
    return;
  states_[indexOf(sleeper)] = State::Asleep;
  lastNews_ = Clock::now();
  if (nobodyAwake())
    return endAtStandstill();
  auto changed = [&] { return news_ != seen || over_; };
  if (!wake_.wait_until(lock, *since + deadline_, changed))
    endAtDeadline(sleeper);
}

// The system wakes a thread up to a tenth of a millisecond late, so the rest of the time is spent polling.
void Watch::rest(uint64_t seen, Clock::time_point until) {
  constexpr std::chrono::microseconds lateness(120);
  if (until - Clock::now() < lateness)
    return std::this_thread::yield();
  Lock lock(mutex_);
  wake_.wait_until(lock, until - lateness, [&] { return news_ != seen || over_; });
}

void Watch::leave(const Sleeper &sleeper) {
  Lock lock(mutex_);
  states_[indexOf(sleeper)] = State::Gone;
  lastNews_ = Clock::now();
  if (!over_ && nobodyAwake() && llvm::is_contained(states_, State::Asleep))
    endAtStandstill();
  wake_.notify_all();
}

void Watch::lose(const Sleeper &sleeper) {
  Diagnostic diagnostic;
  diagnostic.rule = "run.rank-lost";
  std::string busy = sleeper.busyText();
  diagnostic.message = "rank " + std::to_string(sleeper.rank()) + (busy.empty() ? "" : ", busy" + busy + ",") +
                       " has ended before its program did";
  fail(sleeper.rank(), makeError(std::move(diagnostic)));
}

bool Watch::allGone() const {
  return llvm::all_of(states_, [](State state) { return state == State::Gone; });
}

/// Returns whether some ranks have left, and no remaining rank waits for a peer.
bool Watch::endIsAwaited() const {
  return llvm::is_contained(states_, State::Gone) && !llvm::is_contained(states_, State::Asleep);
}

void Watch::awaitEnd() {
  Lock lock(mutex_);
  while (!over_ && !allGone()) {
    if (!endIsAwaited())
      wake_.wait(lock);
    else if (Clock::now() >= lastNews_ + deadline_)
      endAwaiting();
    else
      wake_.wait_until(lock, lastNews_ + deadline_);
  }
}

llvm::Error Watch::waitError(size_t first, llvm::StringRef rule, const std::string &what) const {
  Diagnostic diagnostic;
  diagnostic.rule = rule.str();
  diagnostic.where = sleepers_[first]->position();
  std::vector<std::string> texts = sleepers_[first]->waitTexts();
  diagnostic.message = what + ": " + texts.front();
  diagnostic.notes.assign(texts.begin() + 1, texts.end());
  for (size_t i = 0; i < sleepers_.size(); ++i) {
    std::string rank = "rank " + std::to_string(sleepers_[i]->rank());
    if (states_[i] == State::Gone)
      diagnostic.notes.push_back(rank + " has ended");
    if (states_[i] == State::Awake)
      diagnostic.notes.push_back(rank + " is busy" + sleepers_[i]->busyText());
    if (states_[i] == State::Asleep && i != first)
      llvm::append_range(diagnostic.notes, sleepers_[i]->waitTexts());
  }
  return makeError(std::move(diagnostic));
}

void Watch::endAtStandstill() {
  auto first = static_cast<size_t>(llvm::find(states_, State::Asleep) - states_.begin());
  failLocked(sleepers_[first]->rank(), waitError(first, "run.deadlock", "no rank can continue"));
}

void Watch::endAtDeadline(const Sleeper &sleeper) {
  std::string waited = "has waited for " + std::to_string(deadline_.count()) + " ms";
  failLocked(sleeper.rank(),
             waitError(indexOf(sleeper), "run.deadline", "rank " + std::to_string(sleeper.rank()) + " " + waited));
}

void Watch::endAwaiting() {
  const Sleeper &awake = *sleepers_[static_cast<size_t>(llvm::find(states_, State::Awake) - states_.begin())];
  Diagnostic diagnostic =
      diagnose("run.deadline", "rank " + std::to_string(awake.rank()) + " is busy" + awake.busyText() +
                                   ", and has not ended " + std::to_string(deadline_.count()) + " ms after the others");
  failLocked(awake.rank(), makeError(std::move(diagnostic)));
}

void Watch::failLocked(int64_t rank, llvm::Error error) {
  // A rank fails once; its later errors are consequences of the first.
  if (!errors_.try_emplace(rank, std::move(error)).second)
    llvm::consumeError(std::move(error));
  over_.store(true, std::memory_order_release);
  wake_.notify_all();
}

void Watch::fail(int64_t rank, llvm::Error error) {
  Lock lock(mutex_);
  failLocked(rank, std::move(error));
}

llvm::Error Watch::takeError() {
  Lock lock(mutex_);
  return errors_.empty() ? llvm::Error::success() : std::move(errors_.begin()->second);
}

} // namespace ccgraph::runtime
