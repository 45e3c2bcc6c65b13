#include "process_groups/local_backend.h"

#include "collectives/agreement.h"
#include "process_groups/group_error.h"
#include "process_groups/local_room.h"

#include <unistd.h>

namespace ccgraph::runtime {
namespace {

using Clock = LocalRoom::Clock;

/// The rooms of this process that some member has not entered yet, by number. A member that leaves early is known to
/// those that come later.
struct Rooms {
  struct Open {
    std::shared_ptr<LocalRoom> room;
    size_t entered = 0;
  };
  std::mutex mutex;
  uint64_t next = 1;
  std::map<std::string, Open> byId;
};
Rooms &rooms() {
  static Rooms all;
  return all;
}

class LocalWork final : public Work {
public:
  LocalWork(std::shared_ptr<LocalRoom> room, std::shared_ptr<const GroupLaunch> launch, size_t member)
      : room_(std::move(room)), launch_(std::move(launch)), member_(member),
        deadline_(Clock::now() + launch_->call().timeout) {}

  llvm::Error begin() {
    if (launch_->call().op == GroupOp::RecvAnySource)
      return room_->failure();
    llvm::Expected<LocalRoom::Seat> seat = room_->join(member_, launch_);
    if (!seat)
      return seat.takeError();
    seat_ = *seat;
    return llvm::Error::success();
  }

  llvm::Error wait(std::optional<Milliseconds> timeout) override {
    std::lock_guard<std::mutex> lock(mutex_);
    auto until = timeout ? std::min(deadline_, Clock::now() + *timeout) : deadline_;
    for (uint64_t seen = room_->changes(); !advance(); seen = room_->changes()) {
      if (!failure_.empty())
        return makeError(failure_);
      if (Clock::now() >= until)
        return late(until == deadline_, timeout.value_or(launch_->call().timeout));
      room_->await(until, [&] { return seat_.call ? isReady() : room_->changes() != seen; });
    }
    return llvm::Error::success();
  }

  bool isCompleted() override {
    std::lock_guard<std::mutex> lock(mutex_);
    return advance() || !failure_.empty();
  }

  llvm::Error exception() override {
    std::lock_guard<std::mutex> lock(mutex_);
    return failure_.empty() ? llvm::Error::success() : makeError(failure_);
  }

  std::vector<Tensor> result() const override { return launch_->result(); }

  llvm::Expected<int64_t> sourceRank() override {
    bool receives = launch_->launch().kind == CollectiveKind::Recv;
    std::lock_guard<std::mutex> lock(mutex_);
    if (!receives || !done_)
      return Work::sourceRank();
    const std::vector<int64_t> &members = room_->members();
    int64_t sender = seat_.call->launch(0).launch().rank;
    return std::find(members.begin(), members.end(), sender) - members.begin();
  }

private:
  /// Under the room's lock: there is something to do.
  [[nodiscard]] bool isReady() const { return moved_ ? seat_.call->isDone() : seat_.call->hasAll(); }

  /// Does what can be done without waiting. True where the call is complete.
  bool advance() {
    if (done_ || !failure_.empty())
      return done_;
    if (!seat_.call)
      seekSender();
    if (seat_.call && !moved_ && seat_.call->hasAll()) {
      moved_ = true;
      if (seat_.call->move(member()))
        room_->tell();
    }
    if (moved_ && seat_.call->isDone()) {
      launch_->takeResults();
      done_ = true;
    } else if (llvm::Error error = room_->failure()) {
      failure_ = diagnosticsOf(std::move(error));
    }
    return done_;
  }

  [[nodiscard]] size_t member() const { return seat_.member; }

  void seekSender() {
    llvm::Expected<std::optional<LocalRoom::Seat>> seat = room_->joinFromAny(member_, launch_);
    if (!seat)
      failure_ = diagnosticsOf(seat.takeError());
    else if (*seat)
      seat_ = **seat;
  }

  /// Under the deadline of the call, the group is over for all ranks.
  llvm::Error late(bool ends, Milliseconds timeout) {
    std::string what = seat_.call ? seat_.call->waitText() : "irecv, for which no rank has sent";
    llvm::Error error =
        groupError("run.deadline", groupOpName(launch_->call().op),
                   "rank " + std::to_string(launch_->launch().rank) + ": Timed out waiting " +
                       std::to_string(timeout.count()) + "ms for " + what,
                   "the named ranks have not called it: they may have failed, be late, or call something else");
    if (!ends)
      return error;
    room_->fail(std::move(error));
    failure_ = diagnosticsOf(room_->failure());
    return makeError(failure_);
  }

  std::shared_ptr<LocalRoom> room_;
  std::shared_ptr<const GroupLaunch> launch_;
  size_t member_;
  Clock::time_point deadline_;
  std::mutex mutex_;
  LocalRoom::Seat seat_;
  bool moved_ = false;
  bool done_ = false;
  std::vector<Diagnostic> failure_;
};

class LocalBackend final : public Backend {
public:
  LocalBackend(std::shared_ptr<LocalRoom> room, int64_t rank) : room_(std::move(room)), rank_(rank) {}
  ~LocalBackend() override { room_->leave(static_cast<size_t>(rank_)); }
  LocalBackend(const LocalBackend &) = delete;
  LocalBackend &operator=(const LocalBackend &) = delete;

  llvm::StringRef name() const override { return "local"; }

  llvm::Expected<WorkPtr> launch(GroupCall call) override {
    if (call.peer == rank_ && isTransfer(call.op))
      return groupError("group.argument", groupOpName(call.op),
                        "Invalid source rank: source rank should not be the same as the rank of the current process.");
    auto launch = std::make_shared<const GroupLaunch>(std::move(call), rank_, room_->members());
    if (std::string wrong = checkLaunch(launch->launch(), room_->members().size()); !wrong.empty())
      return groupError("group.argument", groupOpName(launch->call().op), wrong);
    auto work = std::make_shared<LocalWork>(room_, launch, static_cast<size_t>(rank_));
    if (llvm::Error error = work->begin())
      return error;
    return WorkPtr(work);
  }

private:
  std::shared_ptr<LocalRoom> room_;
  int64_t rank_;
};

std::string processId() { return std::to_string(::getpid()); }

/// Under the lock.
void enter(Rooms &all, const std::string &id) {
  Rooms::Open &open = all.byId[id];
  if (++open.entered == open.room->members().size())
    all.byId.erase(id);
}

std::shared_ptr<LocalRoom> makeRoom(const BackendSetup &setup, std::string &id) {
  auto room = std::make_shared<LocalRoom>(setup.members, setup.name);
  Rooms &all = rooms();
  std::lock_guard<std::mutex> lock(all.mutex);
  id = processId() + ":" + std::to_string(all.next++);
  all.byId[id].room = room;
  enter(all, id);
  return room;
}

llvm::Expected<std::shared_ptr<LocalRoom>> findRoom(const BackendSetup &setup, const std::string &id) {
  Rooms &all = rooms();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.byId.find(id);
  if (found != all.byId.end()) {
    std::shared_ptr<LocalRoom> room = found->second.room;
    enter(all, id);
    return room;
  }
  std::string process = llvm::StringRef(id).split(':').first.str();
  if (process == processId())
    return groupError("group.argument", "",
                      "all " + std::to_string(setup.size()) + " ranks of group " + setup.name +
                          " have come already, and here comes rank " + std::to_string(setup.rank) + " again",
                      "give each rank its own number, and each job a store of its own");
  return groupError("group.unsupported", "",
                    "the ranks of backend local must be threads of one process: rank 0 of group " + setup.name +
                        " is in process " + process + ", and rank " + std::to_string(setup.rank) + " in process " +
                        processId(),
                    "use backend mpi for ranks that are processes");
}

} // namespace

// Rank 0 of the group makes the room, and tells the others its number.
llvm::Expected<std::shared_ptr<Backend>> createLocalBackend(const BackendSetup &setup) {
  std::shared_ptr<LocalRoom> room;
  if (setup.rank == 0) {
    std::string id;
    room = makeRoom(setup, id);
    if (llvm::Error error = setup.store->set("local", id))
      return error;
  } else {
    if (llvm::Error error = setup.store->wait({"local"}, setup.timeout))
      return error;
    llvm::Expected<std::string> id = setup.store->get("local");
    if (!id)
      return id.takeError();
    llvm::Expected<std::shared_ptr<LocalRoom>> found = findRoom(setup, *id);
    if (!found)
      return found.takeError();
    room = std::move(*found);
  }
  return std::shared_ptr<Backend>(std::make_shared<LocalBackend>(std::move(room), setup.rank));
}

} // namespace ccgraph::runtime
