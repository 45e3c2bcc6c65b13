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
// Ownership: a call borrows the launches of its members, and owns those whose works are destroyed while it is in
// flight. Thread-safe. Failure: run.ranks-disagree, run.collective, run.deadline, run.rank-lost. Cost: a lock to join,
// and that of the moved bytes.
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
  std::chrono::steady_clock::time_point at;
  std::chrono::milliseconds timeout;
  GroupOp op;
  /// global rank
  int64_t rank;

  [[nodiscard]] static CallDeadline of(const GroupLaunch &launch);
  [[nodiscard]] bool hasPassed() const { return std::chrono::steady_clock::now() >= at; }
  /// "rank 0: Timed out waiting 150ms for `what`"
  [[nodiscard]] llvm::Error error(const std::string &what, std::chrono::milliseconds waited) const;
  [[nodiscard]] llvm::Error error(const std::string &what) const { return error(what, timeout); }
};

/// What a receive from any rank waits for.
inline constexpr llvm::StringLiteral noSender = "irecv, for which no rank has sent";

/// One collective or transfer, with the launches of the members that have joined.
class LocalCall {
public:
  using LaunchPtr = std::unique_ptr<const GroupLaunch>;
  /// Of these members, which outlive it: those of the room.
  LocalCall(llvm::ArrayRef<int64_t> members, size_t sequence);
  /// A transfer between two ranks.
  LocalCall(int64_t from, int64_t to);

  // --- Under the lock of the room -------------------------------------------------------------------------
  /// The launch remains until the call is done; see keep().
  [[nodiscard]] llvm::Expected<bool> join(size_t member, const GroupLaunch &launch);
  /// The work of this launch is destroyed, and other members may still read it.
  void keep(LaunchPtr launch) { kept_.push_back(std::move(launch)); }
  [[nodiscard]] bool has(size_t member) const { return launches_[member] != nullptr; }
  [[nodiscard]] bool hasAny() const { return earliest_ != nullptr; }
  /// What the member of this launch waits for.
  [[nodiscard]] std::string waitText(const GroupLaunch &own) const { return match_.waitTextLocked(own.launch()); }
  // These are of the rank whose deadline is the earliest, while a member is missing.
  [[nodiscard]] CallDeadline deadline() const { return CallDeadline::of(*earliest_); }
  [[nodiscard]] std::string waitText() const { return waitText(*earliest_); }
  /// "all_reduce `all_reduce` (collective 1 on ranks [0, 1])"
  [[nodiscard]] std::string text() const;

  // --- Without it -----------------------------------------------------------------------------------------
  [[nodiscard]] bool hasAll() const { return match_.allArrived(); }
  [[nodiscard]] bool isDone() const { return match_.allDone(); }
  /// Does the parts that no thread has begun, `own` first. True where this thread did the last part.
  [[nodiscard]] bool move(size_t own);
  /// Of a transfer: the global rank.
  [[nodiscard]] int64_t sender() const { return ends_[0]; }

private:
  [[nodiscard]] llvm::Error checkName(size_t member) const;
  [[nodiscard]] bool movePart(size_t member);

  /// of a transfer
  std::array<int64_t, 2> ends_{};
  llvm::ArrayRef<int64_t> members_;
  /// 0 for a transfer
  size_t sequence_;
  LocalMatch match_;
  /// by member; null until it joins
  llvm::SmallVector<const GroupLaunch *, 4> launches_;
  const GroupLaunch *earliest_ = nullptr;
  std::vector<LaunchPtr> kept_;
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
  [[nodiscard]] llvm::Expected<Seat> join(size_t member, const GroupLaunch &launch);
  /// A receive from any rank begins.
  [[nodiscard]] llvm::Error seek(const GroupLaunch &launch);
  /// Joins the oldest transfer to this member of this tag that has no receiver, if there is one.
  [[nodiscard]] llvm::Expected<std::optional<Seat>> joinFromAny(size_t member, const GroupLaunch &launch);
  /// The work of this launch is destroyed; `call` is the call in flight that it has joined, or null.
  void abandon(LocalCall *call, LocalCall::LaunchPtr launch);
  /// What the rank of this launch waits for in a call that it has joined.
  [[nodiscard]] std::string waitText(const LocalCall &call, const GroupLaunch &own);

  /// Waits until `holds`, which is called under the lock, or the room is over, or the time has passed.
  void await(Clock::time_point until, llvm::function_ref<bool()> holds);
  /// Changes whenever a rank has joined or left.
  [[nodiscard]] uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
  /// Wakes those that wait for the end of a call; takes no lock where no thread sleeps.
  void tellDone();
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
  [[nodiscard]] llvm::Expected<Seat> joinLocked(Seat seat, const GroupLaunch &launch);
  [[nodiscard]] llvm::Expected<Seat> joinCollective(size_t member, const GroupLaunch &launch);
  [[nodiscard]] llvm::Expected<Seat> joinTransfer(size_t member, const GroupLaunch &launch);
  void forgetFullCalls();
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
  /// threads in await()
  std::atomic<uint32_t> sleepers_ = 0;
  /// calls that some member has not joined, oldest first; the first one is number firstNumber_
  std::deque<std::shared_ptr<LocalCall>> calls_;
  size_t firstNumber_ = 1;
  /// by member: the number of its last call
  std::vector<size_t> joined_;
  /// transfers that lack one end, oldest first
  std::map<Channel, std::deque<std::shared_ptr<LocalCall>>> open_;
  struct Seeker {
    CallDeadline deadline;
    /// null where its work is destroyed
    const GroupLaunch *launch;
  };
  /// receives from any rank that have no sender
  std::vector<Seeker> seekers_;
  std::set<size_t> left_;
  std::vector<Diagnostic> failure_;
  /// there is a failure; read without the lock
  std::atomic<bool> failed_ = false;
};

} // namespace ccgraph::runtime
