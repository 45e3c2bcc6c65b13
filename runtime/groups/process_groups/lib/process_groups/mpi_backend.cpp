#include "process_groups/mpi_backend.h"

#include "mpi/mpi_standby.h"
#include "mpi/mpi_transport.h"
#include "process_groups/group_error.h"
#include "process_groups/group_launch.h"
#include "process_groups/group_recorder.h"

#include "llvm/ADT/STLExtras.h"

#include <deque>
#include <mutex>

namespace ccgraph::runtime {
namespace {

/// Communicators of groups have numbers from here on; those of plans have smaller ones.
constexpr int64_t firstNumber = int64_t{1} << 32;

/// The communicators of the next group of these members. All members make their groups in one order.
std::vector<MpiCommKey> nextCommunicators(const std::vector<int64_t> &members) {
  static auto *counts = new std::map<std::vector<int64_t>, int64_t>; // NOLINT(cppcoreguidelines-owning-memory)
  int64_t number = firstNumber + 2 * (*counts)[members]++;
  return {{members, number}, {members, number + 1}};
}

/// The transport of one group, and its calls in flight. It stays as long as a work does.
class MpiGroup : public std::enable_shared_from_this<MpiGroup> {
public:
  using Ticket = Transport::Ticket;
  using Clock = std::chrono::steady_clock;
  using LaunchPtr = std::shared_ptr<const GroupLaunch>;
  MpiGroup(MpiJob &job, const BackendSetup &setup)
      : job_(job), setup_(setup), communicators_(nextCommunicators(setup.members)), transport_(job) {}
  ~MpiGroup() = default;
  MpiGroup(const MpiGroup &) = delete;
  MpiGroup &operator=(const MpiGroup &) = delete;

  llvm::Error open() {
    transport_.open(communicators_, context_);
    groups().push_back(weak_from_this());
    return job_.makeCommunicators(communicators_, setup_.timeout);
  }

  llvm::Expected<Ticket> launch(LaunchPtr launch) {
    llvm::Expected<Ticket> ticket = ticketOf(*launch);
    if (!ticket)
      return ticket;
    Clock::time_point deadline = launch->deadline();
    bool transfers = isPointToPoint(launch->launch().kind);
    inFlight_[*ticket] = {std::move(launch), deadline};
    if (!transfers)
      waiting_.push_back(*ticket);
    if (llvm::Error error = transfers ? begin(*ticket) : beginNext())
      return error;
    return ticket;
  }

  /// Does what can be done for the calls of all groups: a peer may wait for a call of another group than this rank.
  [[nodiscard]] static llvm::Error advanceAll() {
    bool gone = false;
    for (const std::weak_ptr<MpiGroup> &each : groups()) {
      std::shared_ptr<MpiGroup> group = each.lock();
      gone |= !group;
      if (llvm::Error error = group ? group->advance() : llvm::Error::success())
        return error;
    }
    if (gone)
      llvm::erase_if(groups(), [](const std::weak_ptr<MpiGroup> &group) { return group.expired(); });
    return llvm::Error::success();
  }

  struct Overdue {
    std::shared_ptr<MpiGroup> group;
    Ticket ticket = 0;
    LaunchPtr launch;
  };
  /// Returns a call of any group whose deadline has passed, if there is one.
  [[nodiscard]] static std::optional<Overdue> findOverdue() {
    std::optional<Clock::time_point> now;
    for (const std::weak_ptr<MpiGroup> &each : groups())
      if (std::shared_ptr<MpiGroup> group = each.lock())
        for (const auto &[ticket, call] : group->inFlight_) {
          now = now ? now : Clock::now();
          if (!call.done && call.deadline < *now)
            return Overdue{group, ticket, call.launch};
        }
    return std::nullopt;
  }

  [[nodiscard]] bool isDone(Ticket ticket) const {
    auto found = inFlight_.find(ticket);
    return found != inFlight_.end() && found->second.done;
  }

  /// Of a call that has not begun: what the collective before it waits for.
  [[nodiscard]] std::string waitText(Ticket ticket) const {
    auto found = inFlight_.find(ticket);
    bool begun = found != inFlight_.end() && found->second.begun;
    return transport_.waitText(begun || !collective_ ? ticket : *collective_);
  }

  void release(Ticket ticket, const GroupLaunch &launch) {
    inFlight_.erase(ticket);
    free_[keyOf(launch)].push_back(ticket);
  }

  /// The work of the call is destroyed. MPI may still write to the memory of the call, so the group and the call remain
  /// until it is complete.
  void abandon(Ticket ticket) {
    inFlight_.at(ticket).keeper = shared_from_this();
    ++abandoned_;
  }

  [[nodiscard]] MpiJob &job() const { return job_; }
  [[nodiscard]] MpiTransport &transport() { return transport_; }
  [[nodiscard]] const BackendSetup &setup() const { return setup_; }

private:
  struct Call {
    LaunchPtr launch;
    Clock::time_point deadline;
    bool begun = false;
    /// complete, and no work has taken its results yet
    bool done = false;
    /// of a call without a work
    std::shared_ptr<MpiGroup> keeper = nullptr;
  };

  /// All groups of the process; MPI's calls come from one thread.
  static std::vector<std::weak_ptr<MpiGroup>> &groups() {
    static auto *all = new std::vector<std::weak_ptr<MpiGroup>>; // NOLINT(cppcoreguidelines-owning-memory)
    return *all;
  }

  llvm::Error advance() {
    for (auto &[ticket, call] : inFlight_) {
      if (!call.begun || call.done || !transport_.isReady(ticket))
        continue;
      llvm::Expected<bool> complete = transport_.advance(ticket);
      if (!complete)
        return complete.takeError();
      call.done = *complete;
    }
    llvm::Error error = beginNext();
    releaseAbandoned();
    return error;
  }

  /// The last collective is in flight. Its ticket may be that of a later call, which has not begun.
  [[nodiscard]] bool isMoving() const {
    auto last = collective_ ? inFlight_.find(*collective_) : inFlight_.end();
    return last != inFlight_.end() && last->second.begun && !last->second.done;
  }

  void releaseAbandoned() {
    for (auto next = inFlight_.begin(); abandoned_ != 0 && next != inFlight_.end();) {
      const auto &[ticket, each] = *next++;
      if (!each.done || !each.keeper)
        continue;
      const Call call = each; // keeps the group
      call.launch->takeResults();
      --abandoned_;
      release(ticket, *call.launch);
    }
  }

  llvm::Error begin(Ticket ticket) {
    Call &call = inFlight_.at(ticket);
    const Launch &launch = call.launch->launch();
    if (!isPointToPoint(launch.kind))
      transport_.setSequence(ticket, ++sequence_);
    call.begun = true;
    return transport_.launch(ticket, launch);
  }

  // A collective has several parts, each a call of MPI, and MPI matches the calls on a communicator by their order. So
  // a collective begins when the one before it is complete: otherwise the order of the parts would depend on time.
  llvm::Error beginNext() {
    if (waiting_.empty() || isMoving())
      return llvm::Error::success();
    collective_ = waiting_.front();
    waiting_.pop_front();
    return begin(*collective_);
  }

  struct Key {
    CollectiveKind kind{};
    int64_t peer = 0;
    int64_t tag = 0;
    friend auto operator<=>(const Key &, const Key &) = default;
  };
  static Key keyOf(const GroupLaunch &launch) {
    bool transfers = isPointToPoint(launch.launch().kind);
    return {launch.launch().kind, transfers ? launch.call().peer : 0, launch.call().tag};
  }

  llvm::Expected<Ticket> ticketOf(const GroupLaunch &launch) {
    std::vector<Ticket> &free = free_[keyOf(launch)];
    if (!free.empty()) {
      Ticket ticket = free.back();
      free.pop_back();
      return ticket;
    }
    CallSeat seat{setup_.members, static_cast<size_t>(setup_.rank), launch.launch().kind, 0, launch.call().tag};
    bool transfers = isPointToPoint(seat.kind);
    if (transfers)
      seat.peer = launch.call().peer < 0 ? MpiTransport::anyPeer : static_cast<size_t>(launch.call().peer);
    Ticket ticket = transport_.enrol(seat);
    if (llvm::Error error =
            transport_.place(ticket, {communicators_[transfers ? 1 : 0], 0, !transfers && setup_.size() > 1}))
      return error;
    return ticket;
  }

  MpiJob &job_;
  BackendSetup setup_;
  std::vector<MpiCommKey> communicators_;
  Context context_;
  MpiTransport transport_;
  int64_t sequence_ = 0;
  /// calls whose results no work has taken
  std::map<Ticket, Call> inFlight_;
  /// how many of them have no work
  size_t abandoned_ = 0;
  /// the collective that has begun last
  std::optional<Ticket> collective_;
  /// collectives that have not begun, in their order
  std::deque<Ticket> waiting_;
  /// tickets that may be launched again
  std::map<Key, std::vector<Ticket>> free_;
};

/// A rank that waits for a call of a group.
class MpiCallPlace final : public Sleeper {
public:
  MpiCallPlace(MpiGroup &group, MpiGroup::Ticket ticket, const GroupLaunch &launch)
      : group_(group), ticket_(ticket), launch_(launch) {}
  int64_t rank() const override { return launch_.launch().rank; }
  std::vector<std::string> waitTexts() const override { return {group_.waitText(ticket_)}; }
  std::string busyText() const override { return ""; }
  std::string position() const override { return groupOpName(launch_.call().op).str(); }

  /// The error on which all ranks agree that still answer.
  llvm::Error end(MpiStandby &standby) const {
    MpiStandby::Standing standing;
    standing.counts = [&] { return group_.transport().counts(); };
    standing.learn = [&](std::vector<std::optional<LaunchCounts>> counts) {
      group_.transport().learn(std::move(counts));
    };
    standing.waits = [this] { return waitTexts(); };
    standing.position = [this] { return position(); };
    return standby.settle(standing);
  }

private:
  MpiGroup &group_;
  MpiGroup::Ticket ticket_;
  const GroupLaunch &launch_;
};

/// A call that no rank waits for ends the job when the rank makes its next call after the deadline: MPI makes progress,
/// and can be called, on this thread alone.
llvm::Error endOverdue(MpiJob &job) {
  if (!MpiGroup::findOverdue())
    return llvm::Error::success();
  if (llvm::Error error = MpiGroup::advanceAll())
    return error;
  std::optional<MpiGroup::Overdue> overdue = MpiGroup::findOverdue();
  if (!overdue)
    return llvm::Error::success();
  MpiStandby standby(job, overdue->launch->call().timeout);
  MpiCallPlace place(*overdue->group, overdue->ticket, *overdue->launch);
  standby.failLate(place);
  return place.end(standby);
}

class MpiWork final : public Work {
public:
  MpiWork(std::shared_ptr<MpiGroup> group, std::shared_ptr<const GroupLaunch> launch, GroupCallRecord record)
      : group_(std::move(group)), launch_(std::move(launch)), record_(std::move(record)),
        deadline_(launch_->deadline()) {}
  ~MpiWork() override {
    if (!done_ && begun_)
      group_->abandon(ticket_);
  }
  MpiWork(const MpiWork &) = delete;
  MpiWork &operator=(const MpiWork &) = delete;

  llvm::Error begin() {
    llvm::Expected<MpiGroup::Ticket> ticket = group_->launch(launch_);
    if (!ticket)
      return ticket.takeError();
    ticket_ = *ticket;
    begun_ = true;
    return llvm::Error::success();
  }

  llvm::Error wait(std::optional<Milliseconds> timeout) override {
    Clock::time_point begun = Clock::now(), until = timeout ? std::min(deadline_, begun + *timeout) : deadline_;
    bool ends = until == deadline_;
    MpiStandby standby(group_->job(),
                       std::max(std::chrono::duration_cast<Milliseconds>(until - begun), Milliseconds(1)));
    Standby::Since since = begun;
    MpiCallPlace place(*group_, ticket_, *launch_);
    while (!advance(standby)) {
      if (standby.isOver())
        return end(standby);
      if (!ends && Clock::now() >= until)
        return groupError("run.deadline", groupOpName(launch_->call().op),
                          "rank " + std::to_string(place.rank()) + ": Timed out waiting " +
                              std::to_string(timeout->count()) + "ms for " + group_->waitText(ticket_));
      standby.sleep(place, standby.news(), since);
    }
    return failure_.empty() ? llvm::Error::success() : makeError(failure_);
  }

  bool isCompleted() override {
    look();
    return done_ || !failure_.empty();
  }
  llvm::Error exception() override {
    look();
    return failure_.empty() ? llvm::Error::success() : makeError(failure_);
  }
  std::vector<Tensor> result() const override { return launch_->result(); }
  llvm::Expected<int64_t> sourceRank() override {
    bool receives = launch_->launch().kind == CollectiveKind::Recv;
    return receives && done_ ? llvm::Expected<int64_t>(sender_) : Work::sourceRank();
  }

private:
  using Clock = std::chrono::steady_clock;

  bool advance(MpiStandby &standby) {
    if (done_ || !failure_.empty())
      return true;
    if (llvm::Error error = MpiGroup::advanceAll()) {
      standby.fail(std::move(error));
      return false;
    }
    if (!group_->isDone(ticket_))
      return false;
    launch_->takeResults();
    sender_ = group_->transport().senderOf(ticket_);
    group_->release(ticket_, *launch_);
    record_.complete();
    return done_ = true;
  }

  /// Does what can be done without waiting; ends the job after the deadline.
  void look() {
    MpiStandby standby(group_->job(), launch_->call().timeout);
    if (advance(standby))
      return;
    if (Clock::now() >= deadline_)
      standby.failLate(MpiCallPlace(*group_, ticket_, *launch_));
    if (standby.isOver())
      llvm::consumeError(end(standby));
  }

  llvm::Error end(MpiStandby &standby) {
    failure_ = diagnosticsOf(MpiCallPlace(*group_, ticket_, *launch_).end(standby));
    return makeError(failure_);
  }

  std::shared_ptr<MpiGroup> group_;
  std::shared_ptr<const GroupLaunch> launch_;
  GroupCallRecord record_;
  Clock::time_point deadline_;
  MpiGroup::Ticket ticket_ = 0;
  bool begun_ = false;
  bool done_ = false;
  /// of a complete receive
  int64_t sender_ = -1;
  std::vector<Diagnostic> failure_;
};

class MpiBackend final : public RecordingBackend {
public:
  explicit MpiBackend(std::shared_ptr<MpiGroup> group) : group_(std::move(group)) {}
  llvm::StringRef name() const override { return "mpi"; }

  llvm::Expected<WorkPtr> launchRecorded(GroupCall &&call, GroupCallRecord &&record) override {
    if (group_->job().isOver())
      return groupError("run.mpi", groupOpName(call.op), "an earlier error has ended the job", "start it anew");
    if (llvm::Error error = endOverdue(group_->job()))
      return error;
    const BackendSetup &setup = group_->setup();
    auto launch = std::make_shared<const GroupLaunch>(std::move(call), setup.rank, setup.members, record.begun);
    if (std::string wrong = checker_.check(*launch, setup.members.size()); !wrong.empty())
      return groupError("group.argument", groupOpName(launch->call().op), wrong);
    auto work = std::make_shared<MpiWork>(group_, std::move(launch), std::move(record));
    if (llvm::Error error = work->begin())
      return error;
    return WorkPtr(std::move(work));
  }

private:
  std::shared_ptr<MpiGroup> group_;
  LaunchChecker checker_;
};

} // namespace

llvm::Expected<std::shared_ptr<Backend>> createMpiBackend(const BackendSetup &setup) {
  // MPI starts once, also where several threads of the process make groups by mistake.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  llvm::Expected<MpiJob *> job = MpiJob::join(setup.timeout);
  if (!job)
    return job.takeError();
  int64_t own = setup.members[static_cast<size_t>(setup.rank)];
  if ((*job)->rank() != own)
    return groupError("group.argument", "",
                      "got rank " + std::to_string(own) + " in a process that MPI gives rank " +
                          std::to_string((*job)->rank()),
                      "with backend mpi, give each process the rank that MPI gives it (OMPI_COMM_WORLD_RANK)");
  auto group = std::make_shared<MpiGroup>(**job, setup);
  if (llvm::Error error = group->open())
    return error;
  return std::shared_ptr<Backend>(std::make_shared<MpiBackend>(std::move(group)));
}

} // namespace ccgraph::runtime
