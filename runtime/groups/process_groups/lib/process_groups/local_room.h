// LocalRoom: the collectives and transfers of a group whose ranks are threads of one process.
//
// A rank joins a call with its launch; the calls match as LocalMatch (local/local_match.h) states. Once all members
// have joined, each part of the movement (local/movement.h) is done by the first thread that can: a rank that waits
// does its own part, and then the parts that no other thread has begun. So a call completes although some members do
// not wait for it yet.
//
// The first failure of a group ends it: all calls in flight and all later ones return that error. A rank that leaves
// ends the calls that it has not joined. A call that lacks a rank at the earliest deadline of its ranks ends the group,
// also where no rank waits for it (endOverdue()).
//
// Ownership: a call owns the launches of its members. Thread-safe. Failure: run.ranks-disagree, run.collective,
// run.deadline, run.rank-lost. Cost: a lock to join, and that of the moved bytes.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "local/local_match.h"
#include "process_groups/group_launch.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <set>

namespace ccgraph::runtime {

/// When a rank's launch must have met those of the others.
struct CallDeadline {
  std::chrono::steady_clock::time_point at = std::chrono::steady_clock::time_point::max();
  std::shared_ptr<const GroupLaunch> launch;

  [[nodiscard]] static CallDeadline of(std::shared_ptr<const GroupLaunch> launch);
  [[nodiscard]] bool hasPassed() const { return std::chrono::steady_clock::now() >= at; }
  /// "rank 0: Timed out waiting 150ms for `what`"
  [[nodiscard]] llvm::Error error(const std::string &what, std::chrono::milliseconds timeout) const;
  [[nodiscard]] llvm::Error error(const std::string &what) const { return error(what, launch->call().timeout); }
};

/// What a receive from any rank waits for.
inline constexpr llvm::StringLiteral noSender = "irecv, for which no rank has sent";

/// One collective or transfer, with the launches of the members that have joined.
class LocalCall {
public:
  /// Of these members, which outlive it: those of the room.
  LocalCall(llvm::ArrayRef<int64_t> members, size_t sequence);
  /// A transfer between two ranks.
  LocalCall(int64_t from, int64_t to);
  [[nodiscard]] llvm::Expected<bool> join(size_t member, std::shared_ptr<const GroupLaunch> launch);
  [[nodiscard]] bool hasAll() const { return match_.allArrived(); }
  [[nodiscard]] bool isDone() const { return match_.allDone(); }
  [[nodiscard]] bool has(size_t member) const { return launches_[member] != nullptr; }
  [[nodiscard]] const GroupLaunch &launch(size_t member) const { return *launches_[member]; }
  /// Does the parts that no thread has begun, `own` first. True where this thread did the last part.
  [[nodiscard]] bool move(size_t own);
  [[nodiscard]] std::string waitText() { return match_.waitText(); }
  /// "all_reduce `all_reduce` (collective 1 on ranks [0, 1])"; after the first member has joined.
  [[nodiscard]] std::string text() const;
  /// The deadline of the rank whose deadline is the earliest, and its launch; null before the first one.
  [[nodiscard]] CallDeadline deadline() const { return deadline_; }

private:
  [[nodiscard]] llvm::Error checkNames(size_t member) const;
  [[nodiscard]] bool movePart(size_t member);

  /// of a transfer
  std::array<int64_t, 2> ends_{};
  llvm::ArrayRef<int64_t> members_;
  CallDeadline deadline_;
  /// 0 for a transfer
  size_t sequence_;
  LocalMatch match_;
  llvm::SmallVector<std::shared_ptr<const GroupLaunch>, 4> launches_;
  /// by member: whether a thread has begun its part; those of larger groups need memory of their own
  std::array<std::atomic<bool>, 8> begun_{};
  std::vector<std::atomic<bool>> begunBeyond_;
};

class LocalRoom {
public:
  using Clock = std::chrono::steady_clock;
  LocalRoom(std::vector<int64_t> members, std::string name)
      : members_(std::move(members)), name_(std::move(name)), joined_(members_.size()) {}

  /// A member's part of a call.
  struct Seat {
    std::shared_ptr<LocalCall> call;
    size_t member = 0;
  };
  [[nodiscard]] llvm::Expected<Seat> join(size_t member, const std::shared_ptr<const GroupLaunch> &launch);
  /// A receive from any rank begins.
  [[nodiscard]] llvm::Error seek(const std::shared_ptr<const GroupLaunch> &launch);
  /// Joins the oldest transfer to this member of this tag that has no receiver, if there is one.
  [[nodiscard]] llvm::Expected<std::optional<Seat>> joinFromAny(size_t member,
                                                                const std::shared_ptr<const GroupLaunch> &launch);

  /// Waits until `holds`, which is called under the lock, or the room is over, or the time has passed.
  void await(Clock::time_point until, llvm::function_ref<bool()> holds);
  /// Changes whenever a rank has joined, moved the last part, or left.
  [[nodiscard]] uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
  void tell();
  /// Ends the group; the first failure counts.
  void fail(llvm::Error error);
  /// Ends the group if a call lacks a rank after its deadline.
  void endOverdue();
  /// Takes no lock where there is none.
  [[nodiscard]] llvm::Error failure();
  /// The member will call nothing more.
  void leave(size_t member);
  [[nodiscard]] const std::vector<int64_t> &members() const { return members_; }

private:
  struct Channel {
    size_t from = 0;
    size_t to = 0;
    int64_t tag = 0;
    friend auto operator<=>(const Channel &, const Channel &) = default; // NOLINT(modernize-use-nullptr): no pointer
  };
  using Lock = std::unique_lock<std::mutex>;
  [[nodiscard]] Lock hold();
  [[nodiscard]] llvm::Expected<Seat> joinLocked(Seat seat, const std::shared_ptr<const GroupLaunch> &launch);
  [[nodiscard]] llvm::Expected<Seat> joinCollective(size_t member, const std::shared_ptr<const GroupLaunch> &launch);
  [[nodiscard]] llvm::Expected<Seat> joinTransfer(size_t member, const std::shared_ptr<const GroupLaunch> &launch);
  [[nodiscard]] llvm::Error failureLocked() const;
  [[nodiscard]] llvm::Error overdueLocked();
  void tellLocked();
  void failLocked(std::vector<Diagnostic> why);
  /// Of a call that this member has not joined.
  void lose(size_t member, LocalCall &call);

  std::vector<int64_t> members_;
  std::string name_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<uint64_t> changes_ = 0;
  /// calls that some member has not joined, oldest first; the first one is number firstNumber_
  std::deque<std::shared_ptr<LocalCall>> calls_;
  size_t firstNumber_ = 1;
  /// by member: the number of its last call
  std::vector<size_t> joined_;
  /// transfers that lack one end, oldest first
  std::map<Channel, std::deque<std::shared_ptr<LocalCall>>> open_;
  /// receives from any rank that have no sender
  std::vector<CallDeadline> seekers_;
  std::set<size_t> left_;
  std::vector<Diagnostic> failure_;
  /// there is a failure; read without the lock
  std::atomic<bool> failed_ = false;
};

} // namespace ccgraph::runtime
