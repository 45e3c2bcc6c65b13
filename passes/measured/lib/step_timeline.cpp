#include "step_timeline.h"

#include "accounts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <limits>

namespace ccgraph::measured {
namespace {

/// Returns the sum of the ranks' times in a step, without the time until the next one.
int64_t timeOfStep(const JobLanes &lanes, size_t step) {
  int64_t time = 0;
  for (const RankLane &lane : lanes.ranks)
    for (const Item &item : lane.steps[step])
      time += item.key.kind == ItemKey::Kind::Between ? 0 : item.duration();
  return time;
}

/// Returns the step whose time is nearest to the median; of equally near ones the first.
size_t typicalStep(const JobLanes &lanes) {
  std::vector<int64_t> times;
  for (size_t step = 0; step != lanes.steps; ++step)
    times.push_back(timeOfStep(lanes, step));
  const int64_t median = medianOf(times);
  auto distance = [&](int64_t time) { return time > median ? time - median : median - time; };
  auto nearest =
      std::min_element(times.begin(), times.end(), [&](int64_t a, int64_t b) { return distance(a) < distance(b); });
  return static_cast<size_t>(nearest - times.begin());
}

class TimelineBuilder {
public:
  TimelineBuilder(const MatchedJob &job, const JobLanes &lanes, llvm::ArrayRef<CollectiveAccount> accounts)
      : job_(job), lanes_(lanes), step_(typicalStep(lanes)) {
    for (size_t i = 0; i != accounts.size(); ++i)
      accounts_[{accounts[i].node, accounts[i].members}] = static_cast<int32_t>(i);
  }

  JobTimeline build() {
    timeline_.step = step_;
    findBegin();
    for (size_t rank = 0; rank != lanes_.ranks.size(); ++rank)
      addRank(rank);
    for (const RankTimeline &rank : timeline_.ranks) {
      for (const TimelineSpan &span : rank.lane)
        timeline_.duration = std::max(timeline_.duration, span.end);
      for (const TimelineTransfer &transfer : rank.transfers)
        timeline_.duration = std::max(timeline_.duration, transfer.end);
    }
    return std::move(timeline_);
  }

private:
  void findBegin() {
    begin_ = std::numeric_limits<int64_t>::max();
    for (const RankLane &lane : lanes_.ranks) {
      if (!lane.steps[step_].empty())
        begin_ = std::min(begin_, lane.steps[step_].front().begin);
      for (const auto &[node, transfer] : lane.transfers[step_])
        begin_ = std::min(begin_, transfer.begin);
    }
  }

  void addRank(size_t rank) {
    const RankLane &lane = lanes_.ranks[rank];
    RankTimeline &own = timeline_.ranks.emplace_back();
    own.rank = lane.rank;
    for (const Item &item : lane.steps[step_])
      addItem(own, rank, item);
    for (const auto &[node, transfer] : lane.transfers[step_])
      own.transfers.push_back(transferOf(rank, transfer));
    llvm::stable_sort(own.transfers, [](const TimelineTransfer &a, const TimelineTransfer &b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
  }

  void addItem(RankTimeline &own, size_t rank, const Item &item) {
    using enum ItemKey::Kind;
    switch (item.key.kind) {
    case Compute:
      return addSpan(own, {SpanKind::Compute, nameOfNodes(rank, item), item.begin, item.end, noAccount});
    case Launch:
      return addSpan(own, {SpanKind::Host, nameOf(item.key.node), item.begin, item.end, noAccount});
    case Wait:
      return addStall(own, rank, item);
    case Pause:
      if (item.unmatched > 0 && item.unmatched >= item.duration() - item.unmatched)
        return addSpan(own, {SpanKind::Unmatched, number(item.unmatchedName), item.begin, item.end, noAccount});
      return addSpan(own, {SpanKind::Host, nameOf(item.key.node), item.begin, item.end, noAccount});
    case Between:
      return;
    }
    llvm_unreachable("no such kind");
  }

  void addStall(RankTimeline &own, size_t rank, const Item &item) {
    const JointTransfer *joint = awaited(job_, lanes_, step_, rank, item);
    const StallParts parts = partsOf(item, joint);
    const int32_t account = joint ? accountOf(*joint) : noAccount;
    const int32_t name = joint ? nameOf(joint->node) : nameOf(item.key.node);
    const int64_t arrived = item.begin + parts.waiting, ended = arrived + parts.transfer;
    addSpan(own, {SpanKind::LateRank, name, item.begin, arrived, account});
    addSpan(own, {SpanKind::Data, name, arrived, ended, account});
    addSpan(own, {SpanKind::Host, nameOf(item.key.node), ended, item.end, noAccount});
  }

  void addSpan(RankTimeline &own, TimelineSpan span) const {
    if (span.end <= span.begin)
      return;
    span.begin -= begin_;
    span.end -= begin_;
    own.lane.push_back(span);
  }

  TimelineTransfer transferOf(size_t rank, const Transfer &transfer) {
    TimelineTransfer own{
        noAccount, nameOf(transfer.node), transfer.begin - begin_, transfer.begin - begin_, transfer.end - begin_, 0};
    if (const JointTransfer *joint = lanes_.find(step_, transfer.node, rank)) {
      own.account = accountOf(*joint);
      own.lastArrival = std::clamp(joint->lastArrival() - begin_, own.begin, own.end);
      own.lastRank = lanes_.ranks[joint->members[joint->last]].rank;
    }
    return own;
  }

  [[nodiscard]] int32_t accountOf(const JointTransfer &joint) const {
    std::vector<int64_t> members;
    for (size_t rank : joint.members)
      members.push_back(lanes_.ranks[rank].rank);
    auto found = accounts_.find({job_.calls[joint.node].name, members});
    return found == accounts_.end() ? noAccount : found->second;
  }

  int32_t number(const std::string &name) {
    auto [entry, isNew] = numbers_.try_emplace(name, static_cast<int32_t>(timeline_.names.size()));
    if (isNew)
      timeline_.names.push_back(name);
    return entry->second;
  }

  /// The key of the pause after the last node has no node.
  int32_t nameOf(NodeIndex node) { return node < job_.calls.size() ? number(job_.calls[node].name) : noName; }

  /// A kernel computes several nodes.
  int32_t nameOfNodes(size_t rank, const Item &item) {
    constexpr size_t most = 3;
    const llvm::ArrayRef<NodeIndex> nodes = job_.ranks[rank].steps[step_].lane[item.entry].nodes;
    if (nodes.empty())
      return noName;
    std::string text;
    for (NodeIndex node : nodes.take_front(most))
      text += (text.empty() ? "" : ", ") + job_.calls[node].name;
    return number(nodes.size() > most ? text + ", ..." : text);
  }

  const MatchedJob &job_;
  const JobLanes &lanes_;
  size_t step_;
  int64_t begin_ = 0;
  std::map<std::pair<std::string, std::vector<int64_t>>, int32_t> accounts_;
  llvm::StringMap<int32_t> numbers_;
  JobTimeline timeline_;
};

} // namespace

JobTimeline timelineOf(const MatchedJob &job, const JobLanes &lanes, llvm::ArrayRef<CollectiveAccount> accounts) {
  return lanes.steps == 0 ? JobTimeline() : TimelineBuilder(job, lanes, accounts).build();
}

} // namespace ccgraph::measured
