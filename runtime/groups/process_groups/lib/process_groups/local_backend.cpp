#include "process_groups/local_backend.h"

#include "process_groups/group_error.h"
#include "process_groups/group_recorder.h"
#include "process_groups/local_room.h"
#include "process_groups/local_watchdog.h"
#include "process_groups/process_rooms.h"

namespace ccgraph::runtime {
namespace {

using Clock = LocalRoom::Clock;

class LocalWork final : public Work {
public:
  LocalWork(std::shared_ptr<LocalRoom> room, LocalCall::LaunchPtr launch, size_t member, GroupCallRecord record)
      : room_(std::move(room)), launch_(std::move(launch)), member_(member), record_(std::move(record)) {}
  ~LocalWork() override {
    if (seat_.call ? !seat_.call->isDone() : seeks_)
      room_->abandon(seat_.call.get(), std::move(launch_));
  }
  LocalWork(const LocalWork &) = delete;
  LocalWork &operator=(const LocalWork &) = delete;

  llvm::Error begin() {
    seeks_ = launch_->call().op == GroupOp::RecvAnySource;
    if (seeks_)
      return room_->seek(*launch_);
    llvm::Expected<LocalRoom::Seat> seat = room_->join(member_, *launch_);
    if (!seat)
      return seat.takeError();
    seat_ = std::move(*seat);
    return llvm::Error::success();
  }

  llvm::Error wait(std::optional<Milliseconds> timeout) override {
    std::lock_guard<std::mutex> lock(mutex_);
    Clock::time_point last = launch_->deadline(), until = timeout ? std::min(last, Clock::now() + *timeout) : last;
    while (!advanceSoon()) {
      if (!failure_.empty())
        return makeError(failure_);
      if (Clock::now() >= until)
        return until == last ? end() : early(*timeout);
      room_->await(until, [&, seen = seen_] { return mayAdvance(seen); });
    }
    return llvm::Error::success();
  }

  bool isCompleted() override {
    std::lock_guard<std::mutex> lock(mutex_);
    return look();
  }

  llvm::Error exception() override {
    std::lock_guard<std::mutex> lock(mutex_);
    (void)look();
    return failure_.empty() ? llvm::Error::success() : makeError(failure_);
  }

  std::vector<Tensor> result() const override { return launch_->result(); }

  llvm::Expected<int64_t> sourceRank() override {
    bool receives = launch_->launch().kind == CollectiveKind::Recv;
    std::lock_guard<std::mutex> lock(mutex_);
    if (!receives || !done_)
      return Work::sourceRank();
    const std::vector<int64_t> &members = room_->members();
    return std::find(members.begin(), members.end(), seat_.call->sender()) - members.begin();
  }

private:
  /// There may be something to do. `seen`: the changes of the room before the last advance().
  [[nodiscard]] bool mayAdvance(uint64_t seen) const {
    if (!seat_.call)
      return room_->changes() != seen;
    return moved_ ? seat_.call->isDone() : seat_.call->hasAll();
  }

  /// The other ranks usually come within microseconds, if each has a core, and a thread that sleeps takes longer to
  /// wake up. A thread that yields takes longer to come back than one that reads.
  [[nodiscard]] bool comesSoon() const {
    static const size_t cores = std::thread::hardware_concurrency();
    constexpr int mostYields = 50, readsBetweenYields = 64;
    int yields = room_->members().size() <= cores ? mostYields : 0;
    for (int reads = 0; reads < yields * readsBetweenYields; ++reads) {
      if (mayAdvance(seen_))
        return true;
      if (reads % readsBetweenYields == readsBetweenYields - 1)
        std::this_thread::yield();
    }
    return false;
  }

  /// A call goes on when all ranks have joined it, and when all parts have been moved.
  bool advanceSoon() {
    for (int stage = 0; stage < 2; ++stage) {
      seen_ = room_->changes();
      if (advance() || !failure_.empty())
        return done_;
      if (!comesSoon())
        return false;
    }
    seen_ = room_->changes();
    return advance();
  }

  /// Does what can be done without waiting. True where the call is complete.
  bool advance() {
    if (done_ || !failure_.empty())
      return done_;
    if (!seat_.call)
      seekSender();
    if (seat_.call && !moved_ && seat_.call->hasAll()) {
      moved_ = true;
      if (seat_.call->move(member()))
        room_->tellDone();
    }
    if (moved_ && seat_.call->isDone()) {
      launch_->takeResults();
      done_ = true;
      record_.complete();
    } else if (llvm::Error error = room_->failure()) {
      failure_ = diagnosticsOf(std::move(error));
    }
    return done_;
  }

  /// The same for a program that does not wait: a call that lacks a rank ends at its deadline.
  bool look() {
    if (!advance() && failure_.empty() && deadline().hasPassed() && !(seat_.call && seat_.call->hasAll()))
      llvm::consumeError(end());
    return done_ || !failure_.empty();
  }

  [[nodiscard]] size_t member() const { return seat_.member; }
  [[nodiscard]] CallDeadline deadline() const { return CallDeadline::of(*launch_); }

  void seekSender() {
    llvm::Expected<std::optional<LocalRoom::Seat>> seat = room_->joinFromAny(member_, *launch_);
    if (!seat)
      failure_ = diagnosticsOf(seat.takeError());
    else if (*seat)
      seat_ = **seat;
  }

  [[nodiscard]] std::string awaited() { return seat_.call ? room_->waitText(*seat_.call, *launch_) : noSender.str(); }

  /// This wait ends, and the call remains in flight.
  llvm::Error early(Milliseconds timeout) { return deadline().error(awaited(), timeout); }

  /// At the deadline of the call, the group is over for all ranks.
  llvm::Error end() {
    room_->fail(deadline().error(awaited()));
    failure_ = diagnosticsOf(room_->failure());
    return makeError(failure_);
  }

  std::shared_ptr<LocalRoom> room_;
  LocalCall::LaunchPtr launch_;
  size_t member_;
  GroupCallRecord record_;
  std::mutex mutex_;
  LocalRoom::Seat seat_;
  /// a receive from any rank
  bool seeks_ = false;
  bool moved_ = false;
  bool done_ = false;
  /// the changes of the room before the last advance()
  uint64_t seen_ = 0;
  std::vector<Diagnostic> failure_;
};

class LocalBackend final : public RecordingBackend {
public:
  LocalBackend(std::shared_ptr<LocalRoom> room, int64_t rank)
      : room_(ownShare(room)), rank_(rank), watchdog_(LocalWatchdog::ofProcess()) {
    if (rank == 0)
      watchdog_->watch(room);
  }
  ~LocalBackend() override { room_->leave(static_cast<size_t>(rank_)); }
  LocalBackend(const LocalBackend &) = delete;
  LocalBackend &operator=(const LocalBackend &) = delete;

  llvm::StringRef name() const override { return "local"; }

  llvm::Expected<WorkPtr> launchRecorded(GroupCall &&call, GroupCallRecord &&record) override {
    if (call.peer == rank_ && isTransfer(call.op))
      return groupError("group.argument", groupOpName(call.op),
                        "Invalid source rank: source rank should not be the same as the rank of the current process.");
    auto launch = std::make_unique<const GroupLaunch>(std::move(call), rank_, room_->members(), record.begun);
    if (std::string wrong = checker_.check(*launch, room_->members().size()); !wrong.empty())
      return groupError("group.argument", groupOpName(launch->call().op), wrong);
    auto work = std::make_shared<LocalWork>(room_, std::move(launch), static_cast<size_t>(rank_), std::move(record));
    if (llvm::Error error = work->begin())
      return error;
    return WorkPtr(std::move(work));
  }

private:
  /// Each rank counts the users of the room on its own: one count for all would move between their cores in each call.
  static std::shared_ptr<LocalRoom> ownShare(const std::shared_ptr<LocalRoom> &room) {
    return {room.get(), [room](LocalRoom *) {}};
  }

  std::shared_ptr<LocalRoom> room_;
  int64_t rank_;
  std::shared_ptr<LocalWatchdog> watchdog_;
  LaunchChecker checker_;
};

} // namespace

llvm::Expected<std::shared_ptr<Backend>> createLocalBackend(const BackendSetup &setup) {
  llvm::Expected<std::shared_ptr<void>> room =
      enterRoom(setup, {"local", "use backend mpi for ranks that are processes"},
                [&] { return std::make_shared<LocalRoom>(setup.members, setup.name); });
  if (!room)
    return room.takeError();
  return std::shared_ptr<Backend>(
      std::make_shared<LocalBackend>(std::static_pointer_cast<LocalRoom>(*room), setup.rank));
}

} // namespace ccgraph::runtime
