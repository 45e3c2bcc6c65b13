#include "ccgraph/jobs/replay_plans.h"

#include "job_data.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::jobs {
namespace {

/// One direction between two ranks.
struct Channel {
  Id set = 0;
  int64_t from = 0;
  int64_t to = 0;
  int64_t tag = 0;
  friend auto operator<=>(const Channel &, const Channel &) = default;
};

/// A rank that sends to itself has both ends of a channel.
struct End {
  Channel channel;
  bool receives = false;
  friend auto operator<=>(const End &, const End &) = default;
};

/// The common part of the plans of all ranks.
class ReplayJob {
public:
  explicit ReplayJob(const JobData &job) : job_(job) {
    for (const Rank &rank : job.ranks)
      byRank_.push_back(&rank);
    llvm::sort(byRank_, [](const Rank *a, const Rank *b) { return a->rank < b->rank; });
    for (size_t place = 0; place < byRank_.size(); ++place)
      places_[byRank_[place]->rank] = static_cast<int64_t>(place);
    for (const Rank *rank : byRank_)
      countReceives(*rank);
  }

  [[nodiscard]] const JobData &data() const { return job_; }
  [[nodiscard]] llvm::ArrayRef<const Rank *> ranks() const { return byRank_; }
  /// Returns the place of a rank; none: it has no graph.
  [[nodiscard]] std::optional<int64_t> placeOf(int64_t rank) const {
    auto found = places_.find(rank);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }
  /// Returns the set of a group for a rank; none: the rank is no member.
  [[nodiscard]] std::optional<Id> setOf(const Rank &rank, Id group) const {
    Id order = rank.orders[group];
    if (order == none || !job_.isMember(job_.orders[order].set, rank.rank))
      return std::nullopt;
    return job_.orders[order].set;
  }
  [[nodiscard]] Channel channelOf(const Rank &rank, const Transfer &transfer, Id set) const {
    int64_t peer = job_.orders[rank.orders[transfer.group]].ranks[static_cast<size_t>(transfer.peer)];
    return transfer.receives ? Channel{set, peer, rank.rank, transfer.tag}
                             : Channel{set, rank.rank, peer, transfer.tag};
  }
  [[nodiscard]] size_t receivesOf(const Channel &channel) const {
    auto found = receives_.find(channel);
    return found == receives_.end() ? 0 : found->second;
  }

private:
  void countReceives(const Rank &rank) {
    const Program &program = job_.programOf(rank);
    for (const Launch &launch : program.launches)
      if (std::optional<Id> set = setOf(rank, launch.group); set && launch.isTransfer)
        for (const Move &move : program.movesOf(launch))
          if (const Transfer &transfer = program.transfers[move.transfer]; transfer.receives)
            ++receives_[channelOf(rank, transfer, *set)];
  }

  const JobData &job_;
  std::vector<const Rank *> byRank_;
  llvm::DenseMap<int64_t, int64_t> places_;
  std::map<Channel, size_t> receives_;
};

/// Makes the plan of one rank.
class ReplayPlan {
public:
  ReplayPlan(Context &context, const ReplayJob &job, const Rank &rank, Semantics under)
      : context_(context), job_(job), rank_(rank), program_(job.data().programOf(rank)), text_(job.data().textOf(rank)),
        under_(under), plan_(std::make_unique<Plan>(context)) {
    plan_->name = "replay";
    addBuffer("sent");
    addBuffer("received");
  }

  std::unique_ptr<Plan> make() {
    for (const Step &step : program_.steps) {
      llvm::ArrayRef<Id> launches = program_.launchesOf(step);
      if (step.kind == Step::Kind::Launch)
        addLaunch(launches.front());
      else if (step.kind == Step::Kind::Wait && followsWaits())
        lastWait_ = addStep(Plan::computeStream, "wait", eventsOf(launches), copyStep());
      else if (step.kind == Step::Kind::HostRead && under_ == Semantics::Dataflow)
        addStep(Plan::hostStream, "read", eventsOf(launches), copyStep());
    }
    plan_->buffers[receivedBuffer].bytes = Dim(elementBytes * numReceived_);
    plan_->layout.computeBytes += elementBytes * numReceived_;
    return std::move(plan_);
  }

private:
  using Events = llvm::SmallVector<EventId, 2>;
  static constexpr BufferId sentBuffer = 0, receivedBuffer = 1;
  static constexpr int64_t elementBytes = 4;

  [[nodiscard]] bool followsWaits() const { return under_ == Semantics::Streams || under_ == Semantics::OneAtATime; }
  [[nodiscard]] bool isBlocking() const {
    return under_ == Semantics::Blocking || under_ == Semantics::BlockingBuffered;
  }

  void addBuffer(llvm::StringRef name) {
    plan_->buffers.push_back({context_.identifier(name), Home::Compute, Dim(elementBytes)});
    plan_->layout.offsets.push_back(plan_->layout.computeBytes);
    plan_->layout.computeBytes += bufferAlignment;
  }
  PlanWindow element(BufferId buffer, int64_t offset) {
    return {buffer, context_.contiguousTensor(DType::F32, {Dim(1)}, {context_.identifier("cpu")}), Dim(offset)};
  }
  /// No two steps write the same element, so that steps of several streams do not disturb each other.
  PlanWindow newElement() { return element(receivedBuffer, numReceived_++); }

  /// A step that communicates with no rank.
  CopyStep copyStep() { return {element(sentBuffer, 0), newElement()}; }

  EventId addStep(StreamId stream, llvm::StringRef name, const Events &waits, decltype(PlanStep::work) work) {
    PlanStep step;
    step.name = context_.identifier(name);
    step.stream = stream;
    step.waits.assign(waits.begin(), waits.end());
    step.event = plan_->numEvents++;
    step.work = std::move(work);
    plan_->steps.push_back(std::move(step));
    return *plan_->steps.back().event;
  }

  [[nodiscard]] Events eventsOf(llvm::ArrayRef<Id> launches) const {
    Events events;
    for (Id launch : launches)
      if (!llvm::is_contained(events, eventOf_[launch]))
        events.push_back(eventOf_[launch]);
    return events;
  }

  void addLaunch(Id id) {
    const Launch &launch = program_.launches[id];
    std::optional<Id> set = job_.setOf(rank_, launch.group);
    Events waits;
    if (under_ == Semantics::Dataflow)
      waits = eventsOf(program_.inputsOf(launch));
    else if (followsWaits() && lastWait_)
      waits.push_back(*lastWait_);
    llvm::StringRef name = text_.launches[launch.text].name;
    if (!set)
      eventOf_.push_back(addStep(streamOf("outside"), name, waits, copyStep()));
    else if (launch.isTransfer)
      eventOf_.push_back(addTransfers(launch, *set, std::move(waits)));
    else
      eventOf_.push_back(addStep(collectiveStream(*set), name, waits, barrierOf(*set)));
    if (launch.stopsHost && !isBlocking())
      addStep(Plan::hostStream, name, {eventOf_.back()}, copyStep());
  }

  StreamId collectiveStream(Id set) {
    if (under_ == Semantics::OneAtATime)
      return streamOf("collectives");
    return streamOf("comm:" + std::to_string(set));
  }

  /// Returns the stream of this name; under the blocking semantics, the compute stream.
  StreamId streamOf(const std::string &name) { return isBlocking() ? Plan::computeStream : ownStreamOf(name); }
  StreamId ownStreamOf(const std::string &name) {
    auto [entry, isNew] = streams_.try_emplace(name, static_cast<StreamId>(plan_->streams.size()));
    if (isNew)
      plan_->streams.push_back({PlanStream::Kind::Transfer, name, std::nullopt});
    return entry->second;
  }

  CollectiveStep barrierOf(Id set) {
    PlanCollective call;
    call.kind = CollectiveKind::Barrier;
    call.group = groupOf(set);
    return {{std::move(call)}};
  }

  /// Returns the group of the members with graphs.
  uint32_t groupOf(Id set) {
    auto [entry, isNew] = groups_.try_emplace(set, static_cast<uint32_t>(plan_->groups.size()));
    if (!isNew)
      return entry->second;
    Group group;
    group.name = std::to_string(set);
    for (int64_t rank : job_.data().sets[set])
      if (std::optional<int64_t> place = job_.placeOf(rank))
        group.ranks.push_back(*place);
    plan_->groups.push_back(std::move(group));
    return entry->second;
  }

  /// Adds one step for all transfers of a launch, and under blocking-buffered one for each send.
  EventId addTransfers(const Launch &launch, Id set, Events waits) {
    llvm::StringRef name = text_.launches[launch.text].name;
    CollectiveStep together;
    std::vector<End> ends;
    for (const Move &move : program_.movesOf(launch)) {
      const Transfer &transfer = program_.transfers[move.transfer];
      End end{job_.channelOf(rank_, transfer, set), transfer.receives};
      if (!job_.placeOf(end.receives ? end.channel.from : end.channel.to))
        continue;
      if (under_ == Semantics::BlockingBuffered && !end.receives) {
        addSend(name, end);
        continue;
      }
      if (auto last = lastOf_.find(end); last != lastOf_.end() && !isBlocking())
        waits.push_back(last->second);
      together.calls.push_back(callOf(end));
      ends.push_back(end);
    }
    llvm::sort(waits);
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    if (ends.empty())
      return addStep(streamOf("outside"), name, waits, copyStep());
    EventId event = addStep(streamOf(streamName(ends.front())), name, waits, std::move(together));
    for (const End &end : ends)
      lastOf_[end] = event;
    return event;
  }

  /// A buffered send begins when everything before it on its rank has completed, and nothing waits for it.
  void addSend(llvm::StringRef name, const End &end) {
    if (sends_[end.channel]++ >= job_.receivesOf(end.channel))
      return;
    EventId arrival = addStep(Plan::computeStream, name, {}, copyStep());
    addStep(ownStreamOf(streamName(end)), name, {arrival}, CollectiveStep{{callOf(end)}});
  }

  static std::string streamName(const End &end) {
    const Channel &channel = end.channel;
    std::string name = end.receives ? "recv" : "send";
    for (int64_t part : {int64_t{channel.set}, channel.from, channel.to, channel.tag})
      name += ":" + std::to_string(part);
    return name;
  }

  PlanCollective callOf(const End &end) {
    PlanCollective call;
    call.kind = end.receives ? CollectiveKind::Recv : CollectiveKind::Send;
    call.group = groupOf(end.channel.set);
    call.tag = end.channel.tag;
    llvm::ArrayRef<int64_t> members = plan_->groups[call.group].ranks;
    int64_t other = *job_.placeOf(end.receives ? end.channel.from : end.channel.to);
    call.peer = llvm::find(members, other) - members.begin();
    PlanRow row;
    if (end.receives)
      row.receive = newElement();
    else
      row.send = element(sentBuffer, 0);
    call.rows.push_back(std::move(row));
    return call;
  }

  Context &context_;
  const ReplayJob &job_;
  const Rank &rank_;
  const Program &program_;
  ProgramText text_;
  Semantics under_;
  std::unique_ptr<Plan> plan_;
  int64_t numReceived_ = 0;
  std::map<std::string, StreamId> streams_;
  llvm::DenseMap<Id, uint32_t> groups_;
  /// buffered sends so far
  std::map<Channel, size_t> sends_;
  std::map<End, EventId> lastOf_;
  /// by launch
  std::vector<EventId> eventOf_;
  std::optional<EventId> lastWait_;
};

} // namespace

std::vector<std::unique_ptr<Plan>> replayPlans(Context &context, const Job &job, Semantics under) {
  ReplayJob shared(job.data());
  std::vector<std::unique_ptr<Plan>> plans;
  for (const Rank *rank : shared.ranks())
    plans.push_back(ReplayPlan(context, shared, *rank, under).make());
  return plans;
}

} // namespace ccgraph::jobs
