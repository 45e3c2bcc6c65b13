#include "engine/collective_call.h"

#include "collectives/agreement.h"

#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {
namespace {

using llvm::Twine;

/// Returns whether the bytes from first to last element of both rows overlap.
bool overlap(const Buffer &a, const Buffer &b) {
  if (a.numElements() == 0 || b.numElements() == 0)
    return false;
  const Tensor &x = a.pieces().front(), &y = b.pieces().front();
  int64_t size = x.elementSize();
  return x.data() < y.data() + b.numElements() * size && y.data() < x.data() + a.numElements() * size;
}

/// Returns where a receiving row may overlap the sending one, in elements from the beginning of the longer to that of
/// the shorter.
std::optional<int64_t> placeInRow(const Launch &launch, size_t row, size_t member) {
  int64_t shorter = std::min(launch.send[row].numElements(), launch.receive[row].numElements());
  switch (launch.kind) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::Broadcast:
    return 0;
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::Scatter:
    return static_cast<int64_t>(member) * shorter;
  default:
    return std::nullopt;
  }
}

/// Rows of one rank that overlap must do so as in-place forms do, or one is written before it is read.
bool overlapsWrongly(const Launch &launch, size_t row, size_t member) {
  const Buffer &send = launch.send[row], &receive = launch.receive[row];
  if (!overlap(send, receive))
    return false;
  bool sendIsLonger = send.numElements() >= receive.numElements();
  const Tensor &longer = (sendIsLonger ? send : receive).pieces().front();
  const Tensor &shorter = (sendIsLonger ? receive : send).pieces().front();
  std::optional<int64_t> at = placeInRow(launch, row, member);
  return !at || shorter.data() != longer.data() + *at * longer.elementSize();
}

} // namespace

llvm::Expected<PreparedCollective> PreparedCollective::prepareSeats(const PlanStep &step, const RankState &state,
                                                                    const Ranks &ranks) {
  PreparedCollective prepared;
  prepared.step_ = &step;
  prepared.work_ = step.collective();
  for (const PlanCollective &call : prepared.work_->calls)
    if (llvm::Error error = prepared.seat(call, state, ranks))
      return error;
  return prepared;
}

llvm::Expected<PreparedCollective> PreparedCollective::prepare(const PlanStep &step, RankState &state,
                                                               const Ranks &ranks) {
  llvm::Expected<PreparedCollective> prepared = prepareSeats(step, state, ranks);
  if (!prepared)
    return prepared;
  prepared->fixed_ = prepared->isFixed(state);
  if (prepared->fixed_)
    if (llvm::Error error = prepared->bind(state))
      return error;
  return prepared;
}

llvm::Expected<PreparedCollective> PreparedCollective::prepareTicks(const PlanStep &step, RankState &state,
                                                                    const Ranks &ranks) {
  llvm::Expected<PreparedCollective> prepared = prepareSeats(step, state, ranks);
  if (!prepared)
    return prepared;
  for (size_t i = 0; i < prepared->seats_.size(); ++i)
    prepared->ticks_.emplace_back(prepared->seats_[i], prepared->launches_[i]);
  prepared->seats_.clear();
  prepared->launches_.clear();
  for (const Tick &tick : prepared->ticks_)
    for (const Tick::Message &message : tick.messages()) {
      prepared->seats_.push_back(message.seat);
      prepared->launches_.push_back(message.launch);
    }
  prepared->fixed_ = prepared->bound_ = true;
  return prepared;
}

llvm::Error PreparedCollective::seat(const PlanCollective &call, const RankState &state, const Ranks &ranks) {
  const Group &group = state.plan->groups[call.group];
  CallSeat seat;
  seat.members = group.members(state.rank).vec();
  seat.kind = call.kind;
  seat.tag = call.tag;
  auto wrong = [&](const Twine &message, const char *repair = "") {
    return place(state).error("run.collective", message.str(), repair);
  };
  if (group.ranks.empty() && group.partition.empty())
    return wrong("group '" + Twine(group.name) + "' has no ranks", "give the ranks of each group with --groups FILE");
  auto *me =
      llvm::find(seat.members, state.rank) == seat.members.end() ? nullptr : &*llvm::find(seat.members, state.rank);
  if (me == nullptr)
    return wrong("is not a member of the group that it communicates on, " + Twine(intListText(seat.members)));
  seat.member = static_cast<size_t>(me - seat.members.data());
  for (int64_t member : seat.members)
    if (member < 0 || member >= static_cast<int64_t>(ranks.number))
      return wrong("group " + Twine(intListText(seat.members)) + " contains rank " + Twine(member) + ", but only " +
                       Twine(ranks.number) + (ranks.number == 1 ? " rank runs" : " ranks run"),
                   "run as many ranks as the groups name");
  auto size = static_cast<int64_t>(seat.members.size());
  if (isPointToPoint(call.kind) && (call.peer < 0 || call.peer >= size))
    return wrong("got peer " + Twine(call.peer) + ", expected a rank within the group, 0 to " + Twine(size - 1));
  seat.peer = static_cast<size_t>(std::max<int64_t>(call.peer, 0));
  seats_.push_back(std::move(seat));
  Launch launch;
  launch.call = {nullptr, step_->name};
  launch.rank = state.rank;
  launch.kind = call.kind;
  launch.reduceOp = call.reduceOp;
  launch.root = call.root;
  launch.tag = call.tag;
  if (!isPointToPoint(call.kind))
    launch.position = ranks.position;
  launches_.push_back(std::move(launch));
  return llvm::Error::success();
}

bool PreparedCollective::isFixed(const RankState &state) const {
  auto fixed = [&](const std::optional<PlanWindow> &window) { return !window || state.memory.isFixed(*window); };
  auto isStatic = [](const Dim &dim) { return dim.isStatic(); };
  return llvm::all_of(work_->calls, [&](const PlanCollective &call) {
    return llvm::all_of(call.sendCounts, isStatic) && llvm::all_of(call.receiveCounts, isStatic) &&
           llvm::all_of(call.rows, [&](const PlanRow &row) { return fixed(row.send) && fixed(row.receive); });
  });
}

llvm::Error PreparedCollective::bind(RankState &state) {
  if (fixed_ && bound_)
    return llvm::Error::success();
  for (size_t i = 0; i < launches_.size(); ++i)
    if (llvm::Error error = bindCall(i, state))
      return error;
  bound_ = true;
  return llvm::Error::success();
}

llvm::Error PreparedCollective::bindCall(size_t index, RankState &state) {
  const PlanCollective &call = work_->calls[index];
  Launch &launch = launches_[index];
  launch.send.resize(call.rows.size());
  launch.receive.resize(call.rows.size());
  for (size_t row = 0; row < call.rows.size(); ++row)
    if (llvm::Error error = bindRow(call.rows[row], row, launch, state))
      return error;
  llvm::Expected<std::vector<int64_t>> sent = countsOf(call.sendCounts, state),
                                       received = countsOf(call.receiveCounts, state);
  if (!sent || !received)
    return llvm::joinErrors(sent.takeError(), received.takeError());
  launch.sendCounts = std::move(*sent);
  launch.receiveCounts = std::move(*received);
  size_t members = seats_[index].members.size();
  bool splits = call.kind == CollectiveKind::AllToAll || call.kind == CollectiveKind::ShardDimAllToAll;
  if (splits && (launch.sendCounts.size() != members || launch.receiveCounts.size() != members))
    return place(state).error("run.collective", "got " + std::to_string(launch.sendCounts.size()) +
                                                    " splits, expected one "
                                                    "for each of " +
                                                    std::to_string(members) + " ranks");
  if (std::string wrong = checkLaunch(launch, members); !wrong.empty())
    return place(state).error("run.collective", wrong);
  for (size_t row = 0; row < launch.send.size(); ++row)
    if (overlapsWrongly(launch, row, seats_[index].member))
      return place(state).error("run.plan",
                                "sends and receives in memory that overlaps, " + describe(launch) +
                                    ": expected rows apart, or one within the other as in-place forms have it");
  return llvm::Error::success();
}

llvm::Error PreparedCollective::bindRow(const PlanRow &row, size_t index, Launch &launch, RankState &state) const {
  if (row.receive)
    if (llvm::Error error = state.memory.makeRoom(*row.receive, state.symbols, place(state)))
      return error;
  if (llvm::Error error = bindEnd(row.send, launch.send[index], state))
    return error;
  return bindEnd(row.receive, launch.receive[index], state);
}

llvm::Error PreparedCollective::bindEnd(const std::optional<PlanWindow> &window, Buffer &buffer,
                                        const RankState &state) const {
  buffer.assign(std::nullopt);
  if (!window)
    return llvm::Error::success();
  llvm::Expected<Tensor> tensor = state.memory.tensorOf(*window, state.symbols, place(state));
  if (!tensor)
    return tensor.takeError();
  if (!tensor->isContiguous())
    return place(state).error("run.plan", "got a row " + tensor->typeText() + ", expected one without gaps",
                              "copy it into such a row before");
  buffer.assign(std::move(*tensor));
  return llvm::Error::success();
}

llvm::Expected<std::vector<int64_t>> PreparedCollective::countsOf(llvm::ArrayRef<Dim> dims,
                                                                  const RankState &state) const {
  std::vector<int64_t> counts;
  for (const Dim &dim : dims) {
    std::optional<int64_t> count = dimValue(dim, state.symbols);
    if (!count)
      return place(state).error("run.unknown-symbol", "sends " + dim.str() + " elements, which has no value here");
    counts.push_back(*count);
  }
  return counts;
}

} // namespace ccgraph::runtime
