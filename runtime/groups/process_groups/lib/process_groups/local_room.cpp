#include "process_groups/local_room.h"

#include "local/movement.h"
#include "process_groups/group_error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <thread>

namespace ccgraph::runtime {

using llvm::Twine;

// --- Deadlines -------------------------------------------------------------------------------------------------------

CallDeadline CallDeadline::of(const GroupLaunch &launch) {
  return {launch.deadline(), launch.call().timeout, launch.call().op, launch.launch().rank};
}

llvm::Error CallDeadline::error(const std::string &what, std::chrono::milliseconds waited) const {
  return groupError("run.deadline", groupOpName(op),
                    "rank " + std::to_string(rank) + ": Timed out waiting " + std::to_string(waited.count()) +
                        "ms for " + what,
                    "the named ranks have not called it: they may have failed, be late, or call something else");
}

// --- A call ----------------------------------------------------------------------------------------------------------

LocalCall::LocalCall(llvm::ArrayRef<int64_t> members, size_t sequence)
    : members_(members), sequence_(sequence), match_(members_, sequence), launches_(members.size()),
      begunBeyond_(members.size() > begun_.size() ? members.size() - begun_.size() : 0) {}

LocalCall::LocalCall(int64_t from, int64_t to)
    : ends_{from, to}, members_(ends_), sequence_(0), match_(members_, 0), launches_(2) {}

llvm::Expected<bool> LocalCall::join(size_t member, const GroupLaunch &launch) {
  launches_[member] = &launch;
  if (sequence_ != 0)
    if (llvm::Error error = checkName(member))
      return error;
  // Once all have arrived, the works of the others may end.
  const GroupLaunch *earliest = !earliest_ || launch.deadline() < earliest_->deadline() ? &launch : earliest_;
  llvm::Expected<bool> last = match_.arriveLocked(member, launch.launch());
  if (last)
    earliest_ = earliest;
  return last;
}

// Operations of different meaning may have launches of one kind. Those that have joined before match one another.
llvm::Error LocalCall::checkName(size_t member) const {
  size_t other = 0;
  while (other < launches_.size() && (other == member || !launches_[other]))
    ++other;
  if (other == launches_.size() || launches_[other]->matches(*launches_[member]))
    return llvm::Error::success();
  size_t first = std::min(member, other), second = std::max(member, other);
  return groupError("run.ranks-disagree", groupOpName(launches_[second]->call().op),
                    (Twine("ranks ") + Twine(members_[first]) + " and " + Twine(members_[second]) +
                     " disagree about collective " + Twine(sequence_) + " on ranks " + intListText(members_) +
                     ": kind " + launches_[first]->matchName() + " against " + launches_[second]->matchName())
                        .str(),
                    "every rank of a group must call the same collectives in the same order");
}

// A part that has begun is found by a read, which leaves the flag in the caches of both threads.
bool LocalCall::movePart(size_t member) {
  std::atomic<bool> &begun = member < begun_.size() ? begun_[member] : begunBeyond_[member - begun_.size()];
  if (begun.load(std::memory_order_relaxed) || begun.exchange(true, std::memory_order_acq_rel))
    return false;
  moveRows(match_.launches(), member);
  return match_.finish();
}

bool LocalCall::move(size_t own) {
  bool last = movePart(own);
  for (size_t member = 0; member < members_.size(); ++member)
    last = movePart(member) || last;
  return last;
}

std::string LocalCall::text() const {
  std::string text = describe(earliest_->launch());
  return sequence_ == 0
             ? text
             : text + " (collective " + std::to_string(sequence_) + " on ranks " + intListText(members_) + ")";
}

// --- The room --------------------------------------------------------------------------------------------------------

// The ranks join a call at the same moment, and hold the lock for less time than a thread takes to wake up.
LocalRoom::Lock LocalRoom::hold() {
  constexpr int mostTries = 1000, triesBetweenYields = 16;
  Lock lock(mutex_, std::try_to_lock);
  for (int tries = 1; !lock.owns_lock() && tries < mostTries; ++tries) {
    if (tries % triesBetweenYields == 0)
      std::this_thread::yield();
    (void)lock.try_lock();
  }
  if (!lock.owns_lock())
    lock.lock();
  return lock;
}

llvm::Error LocalRoom::failureLocked() const { return failure_.empty() ? llvm::Error::success() : makeError(failure_); }

llvm::Error LocalRoom::failure() {
  if (!failed_.load(std::memory_order_acquire))
    return llvm::Error::success();
  Lock lock = hold();
  return failureLocked();
}

void LocalRoom::failLocked(std::vector<Diagnostic> why) {
  if (failure_.empty())
    failure_ = std::move(why);
  failed_.store(true, std::memory_order_release);
  tellLocked();
}

void LocalRoom::fail(llvm::Error error) {
  std::vector<Diagnostic> why = diagnosticsOf(std::move(error));
  Lock lock = hold();
  failLocked(std::move(why));
}

void LocalRoom::endOverdue() {
  Lock lock = hold();
  if (!failure_.empty())
    return;
  if (llvm::Error error = overdueLocked())
    failLocked(diagnosticsOf(std::move(error)));
}

llvm::Error LocalRoom::overdueLocked() {
  auto isOverdue = [](const std::shared_ptr<LocalCall> &call) {
    return !call->hasAll() && call->deadline().hasPassed();
  };
  for (const std::shared_ptr<LocalCall> &call : calls_)
    if (isOverdue(call))
      return call->deadline().error(call->waitText());
  for (const auto &[channel, open] : open_)
    for (const std::shared_ptr<LocalCall> &call : open)
      if (isOverdue(call))
        return call->deadline().error(call->waitText());
  for (const Seeker &seeker : seekers_)
    if (seeker.deadline.hasPassed())
      return seeker.deadline.error(noSender.str());
  return llvm::Error::success();
}

// A sleeper counts itself before it looks whether the call is done, and this thread reads the count after it has done
// the last part. Both change the count, so one of them comes after the other and sees what it did: either the sleeper
// finds the call done, or this thread finds the sleeper.
void LocalRoom::tellDone() {
  if (sleepers_.fetch_add(0, std::memory_order_acq_rel) == 0)
    return;
  Lock lock = hold();
  changed_.notify_all();
}

void LocalRoom::tellLocked() {
  changes_.fetch_add(1, std::memory_order_release);
  if (sleepers_.load(std::memory_order_relaxed) != 0)
    changed_.notify_all();
}

void LocalRoom::await(Clock::time_point until, llvm::function_ref<bool()> holds) {
  Lock lock = hold();
  sleepers_.fetch_add(1, std::memory_order_acq_rel);
  changed_.wait_until(lock, until, [&] { return holds() || !failure_.empty(); });
  sleepers_.fetch_sub(1, std::memory_order_acq_rel);
}

std::string LocalRoom::waitText(const LocalCall &call, const GroupLaunch &own) {
  Lock lock = hold();
  return call.waitText(own);
}

void LocalRoom::abandon(LocalCall *call, LocalCall::LaunchPtr launch) {
  Lock lock = hold();
  if (call)
    return call->keep(std::move(launch));
  for (Seeker &seeker : seekers_)
    if (seeker.launch == launch.get())
      seeker.launch = nullptr;
}

llvm::Expected<LocalRoom::Seat> LocalRoom::join(size_t member, const GroupLaunch &launch) {
  Lock lock = hold();
  if (!failure_.empty())
    return failureLocked();
  return isPointToPoint(launch.launch().kind) ? joinTransfer(member, launch) : joinCollective(member, launch);
}

llvm::Expected<LocalRoom::Seat> LocalRoom::joinLocked(Seat seat, const GroupLaunch &launch) {
  llvm::Expected<bool> last = seat.call->join(seat.member, launch);
  if (!last) {
    failLocked(diagnosticsOf(last.takeError()));
    return failureLocked();
  }
  tellLocked();
  return seat;
}

void LocalRoom::forgetFullCalls() {
  while (!calls_.empty() && calls_.front()->hasAll()) {
    calls_.pop_front();
    ++firstNumber_;
  }
}

llvm::Expected<LocalRoom::Seat> LocalRoom::joinCollective(size_t member, const GroupLaunch &launch) {
  size_t number = ++joined_[member];
  while (firstNumber_ + calls_.size() <= number)
    calls_.push_back(std::make_shared<LocalCall>(members_, firstNumber_ + calls_.size()));
  llvm::Expected<Seat> seat = joinLocked({calls_[number - firstNumber_], member}, launch);
  for (size_t gone : left_)
    if (seat && !seat->call->has(gone))
      lose(gone, *seat->call);
  forgetFullCalls();
  return seat;
}

llvm::Expected<LocalRoom::Seat> LocalRoom::joinTransfer(size_t member, const GroupLaunch &launch) {
  bool sends = launch.launch().kind == CollectiveKind::Send;
  auto peer = static_cast<size_t>(launch.call().peer);
  Channel channel{sends ? member : peer, sends ? peer : member, launch.call().tag};
  size_t end = sends ? 0 : 1;
  auto &open = open_[channel];
  bool isFirst = open.empty() || open.front()->has(end);
  std::shared_ptr<LocalCall> call =
      isFirst ? std::make_shared<LocalCall>(members_[channel.from], members_[channel.to]) : open.front();
  if (isFirst)
    open.push_back(call);
  else
    open.pop_front();
  llvm::Expected<Seat> seat = joinLocked({call, end}, launch);
  if (seat && isFirst && left_.count(peer) != 0)
    lose(peer, *call);
  return seat;
}

llvm::Error LocalRoom::seek(const GroupLaunch &launch) {
  Lock lock = hold();
  if (llvm::Error over = failureLocked())
    return over;
  seekers_.push_back({CallDeadline::of(launch), &launch});
  return llvm::Error::success();
}

llvm::Expected<std::optional<LocalRoom::Seat>> LocalRoom::joinFromAny(size_t member, const GroupLaunch &launch) {
  Lock lock = hold();
  if (llvm::Error over = failureLocked())
    return over;
  for (auto &[channel, open] : open_) {
    bool matches = channel.to == member && channel.tag == launch.call().tag;
    if (!matches || open.empty() || open.front()->has(1))
      continue;
    std::shared_ptr<LocalCall> call = open.front();
    open.pop_front();
    llvm::erase_if(seekers_, [&](const Seeker &seeker) { return seeker.launch == &launch; });
    llvm::Expected<Seat> seat = joinLocked({call, 1}, launch);
    if (!seat)
      return seat.takeError();
    return std::optional<Seat>(*seat);
  }
  return std::optional<Seat>();
}

void LocalRoom::lose(size_t member, LocalCall &call) {
  failLocked(diagnosticsOf(
      groupError("run.rank-lost", "",
                 "rank " + std::to_string(members_[member]) + " has left group " + name_ + ": " + call.text() +
                     ", which it has not launched",
                 "a rank must not end, or destroy a group, before it has called all collectives of the group")));
}

void LocalRoom::leave(size_t member) {
  Lock lock = hold();
  left_.insert(member);
  for (const std::shared_ptr<LocalCall> &call : calls_)
    if (!call->has(member) && call->hasAny())
      lose(member, *call);
  for (auto &[channel, open] : open_)
    for (const std::shared_ptr<LocalCall> &call : open) {
      size_t end = channel.from == member ? 0 : 1;
      bool isEnd = channel.from == member || channel.to == member;
      if (isEnd && !call->has(end) && call->has(1 - end))
        lose(member, *call);
    }
}

} // namespace ccgraph::runtime
