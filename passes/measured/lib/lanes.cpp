#include "lanes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace ccgraph::measured {
namespace {

/// Builds the items of one step of one rank.
class LaneBuilder {
public:
  LaneBuilder(const MatchedJob &job, const RankSteps &rank, size_t step)
      : job_(job), onDevice_(rank.onDevice), step_(rank.steps[step]), now_(step_.begin) {
    for (const Transfer &transfer : step_.transfers)
      ends_[transfer.node] = transfer.end;
  }

  std::vector<Item> build() {
    for (size_t i = 0; i != step_.lane.size(); ++i)
      onDevice_ ? addDeviceEntry(i) : addTimed(i);
    pauseUntil(step_.end, {ItemKey::Kind::Pause, static_cast<NodeIndex>(job_.calls.size())});
    return std::move(items_);
  }

private:
  static ItemKey::Kind kindOf(LaneEntry::Kind kind) {
    switch (kind) {
    case LaneEntry::Kind::Compute:
      return ItemKey::Kind::Compute;
    case LaneEntry::Kind::Launch:
      return ItemKey::Kind::Launch;
    case LaneEntry::Kind::Wait:
      return ItemKey::Kind::Wait;
    }
    llvm_unreachable("no such kind");
  }

  [[nodiscard]] NodeIndex nodeOf(const LaneEntry &entry) const {
    return entry.nodes.empty() ? static_cast<NodeIndex>(job_.calls.size()) : entry.nodes.front();
  }

  void add(ItemKey key, size_t entry, int64_t end) {
    key.number = seen_[{key.kind, key.node}]++;
    items_.push_back({key, entry, now_, std::max(now_, end), 0, {}});
    now_ = items_.back().end;
  }

  void pauseUntil(int64_t time, ItemKey key) {
    const int64_t begin = now_;
    add(key, 0, time);
    Item &pause = items_.back();
    int64_t longest = 0;
    while (firstRest_ != step_.rest.size() && step_.rest[firstRest_].end <= begin)
      ++firstRest_;
    for (const Unmatched &event : llvm::ArrayRef(step_.rest).drop_front(firstRest_)) {
      if (event.begin >= pause.end)
        break;
      const int64_t part = std::min(event.end, pause.end) - std::max(event.begin, begin);
      if (part <= 0)
        continue;
      pause.unmatched += part;
      if (part > longest)
        pause.unmatchedName = event.name, longest = part;
    }
    pause.unmatched = std::min(pause.unmatched, pause.duration());
  }

  void addTimed(size_t index) {
    const LaneEntry &entry = step_.lane[index];
    pauseUntil(entry.begin, {ItemKey::Kind::Pause, nodeOf(entry)});
    add({kindOf(entry.kind), nodeOf(entry)}, index, entry.end);
  }

  /// A wait on a device holds the stream until the collective ends, at most until the next kernel begins.
  void addDeviceEntry(size_t index) {
    const LaneEntry &entry = step_.lane[index];
    if (entry.kind == LaneEntry::Kind::Compute)
      return addTimed(index);
    int64_t end = now_;
    if (entry.kind == LaneEntry::Kind::Wait)
      for (NodeIndex launch : job_.calls[nodeOf(entry)].launches)
        if (auto found = ends_.find(launch); found != ends_.end())
          end = std::max(end, std::min(found->second, nextKernel(index)));
    add({kindOf(entry.kind), nodeOf(entry)}, index, end);
  }

  [[nodiscard]] int64_t nextKernel(size_t index) const {
    for (const LaneEntry &entry : llvm::ArrayRef(step_.lane).drop_front(index))
      if (entry.kind == LaneEntry::Kind::Compute)
        return entry.begin;
    return step_.end;
  }

  const MatchedJob &job_;
  bool onDevice_;
  const Step &step_;
  int64_t now_;
  size_t firstRest_ = 0; ///< of the events that end after the last pause began
  std::vector<Item> items_;
  std::map<NodeIndex, int64_t> ends_;
  std::map<std::pair<ItemKey::Kind, NodeIndex>, uint32_t> seen_;
};

/// Finds the differences of the clocks along collectives that two ranks have in common.
class ClockAligner {
public:
  explicit ClockAligner(const MatchedJob &job, size_t steps) : job_(job), steps_(steps) {}

  struct Offsets {
    std::vector<std::optional<int64_t>> byRank; ///< what to add to each rank's times
    bool areComplete = true;                    ///< false: no chain of collectives joins all ranks
  };
  /// Ranks that are not joined to the first one are aligned among themselves.
  Offsets run() {
    Offsets offsets{std::vector<std::optional<int64_t>>(job_.ranks.size())};
    for (size_t rank = 0; rank != job_.ranks.size(); ++rank)
      if (!offsets.byRank[rank]) {
        offsets.areComplete &= rank == 0;
        alignTo(rank, offsets.byRank);
      }
    return offsets;
  }

private:
  void alignTo(size_t first, std::vector<std::optional<int64_t>> &offsets) const {
    offsets[first] = 0;
    std::queue<size_t> queue;
    queue.push(first);
    for (; !queue.empty(); queue.pop())
      for (size_t other = 0; other != offsets.size(); ++other)
        if (!offsets[other])
          if (std::optional<int64_t> difference = differenceOf(queue.front(), other)) {
            offsets[other] = *offsets[queue.front()] + *difference;
            queue.push(other);
          }
  }

  static const Transfer *find(const Step &step, const Transfer &like) {
    for (const Transfer &transfer : step.transfers)
      if (transfer.node == like.node && transfer.members == like.members)
        return &transfer;
    return nullptr;
  }

  [[nodiscard]] std::optional<int64_t> differenceOf(size_t first, size_t second) const {
    std::vector<int64_t> differences;
    for (size_t step = 0; step != steps_; ++step)
      for (const Transfer &transfer : job_.ranks[first].steps[step].transfers)
        if (transfer.members.empty() || llvm::is_contained(transfer.members, job_.ranks[second].rank))
          if (const Transfer *other = find(job_.ranks[second].steps[step], transfer))
            differences.push_back(transfer.end - other->end);
    return differences.empty() ? std::nullopt : std::optional(medianOf(std::move(differences)));
  }

  const MatchedJob &job_;
  size_t steps_;
};

class LanesBuilder {
public:
  explicit LanesBuilder(const MatchedJob &job) : job_(job) {}

  JobLanes build() {
    lanes_.steps = std::numeric_limits<size_t>::max();
    for (const RankSteps &rank : job_.ranks)
      lanes_.steps = std::min(lanes_.steps, rank.steps.size());
    const ClockAligner::Offsets offsets = ClockAligner(job_, lanes_.steps).run();
    lanes_.aligned = offsets.areComplete;
    for (size_t i = 0; i != job_.ranks.size(); ++i)
      addRank(job_.ranks[i], *offsets.byRank[i]);
    for (size_t step = 0; step != lanes_.steps; ++step)
      addJoint(step);
    return std::move(lanes_);
  }

private:
  void addRank(const RankSteps &rank, int64_t offset) {
    RankLane lane{rank.rank, offset, {}, {}, {}};
    for (size_t i = 0; i != lanes_.steps; ++i) {
      lane.steps.push_back(LaneBuilder(job_, rank, i).build());
      addBetween(lane, i + 1 < rank.steps.size() ? std::optional(rank.steps[i + 1].begin) : std::nullopt);
      std::map<ItemKey, size_t> &places = lane.places.emplace_back();
      for (Item &item : lane.steps.back()) {
        places.emplace(item.key, places.size());
        item.begin += offset;
        item.end += offset;
      }
      auto &transfers = lane.transfers.emplace_back();
      for (Transfer transfer : rank.steps[i].transfers) {
        transfer.begin += offset;
        transfer.end += offset;
        transfers.emplace(transfer.node, std::move(transfer));
      }
    }
    lanes_.ranks.push_back(std::move(lane));
  }

  /// Adds the time between this step and the next one.
  static void addBetween(RankLane &lane, std::optional<int64_t> next) {
    std::vector<Item> &items = lane.steps.back();
    const int64_t end = items.empty() ? next.value_or(0) : items.back().end;
    if (next)
      items.push_back({{ItemKey::Kind::Between}, 0, end, std::max(end, *next), 0, {}});
  }

  [[nodiscard]] std::vector<size_t> membersOf(const Transfer &transfer) const {
    std::vector<size_t> members;
    for (size_t i = 0; i != job_.ranks.size(); ++i)
      if (transfer.members.empty() || llvm::is_contained(transfer.members, job_.ranks[i].rank))
        members.push_back(i);
    return members;
  }

  void addJoint(size_t step) {
    std::vector<JointTransfer> found;
    for (size_t rank = 0; rank != lanes_.ranks.size(); ++rank)
      for (const auto &[node, transfer] : lanes_.ranks[rank].transfers[step]) {
        const std::vector<size_t> members = membersOf(transfer);
        if (!members.empty() && members.front() == rank)
          if (auto joint = join(step, node, members))
            found.push_back(std::move(*joint));
      }
    llvm::stable_sort(found, [](const JointTransfer &a, const JointTransfer &b) {
      return std::pair(a.lastArrival(), a.node) < std::pair(b.lastArrival(), b.node);
    });
    for (JointTransfer &joint : found) {
      for (size_t rank : joint.members)
        lanes_.byMember[{step, joint.node, rank}] = lanes_.joint.size();
      lanes_.joint.push_back(std::move(joint));
    }
  }

  [[nodiscard]] std::optional<JointTransfer> join(size_t step, NodeIndex node, llvm::ArrayRef<size_t> members) const {
    JointTransfer joint{node, step, members.vec(), {}, std::numeric_limits<int64_t>::min(), 0};
    for (size_t rank : members) {
      auto own = lanes_.ranks[rank].transfers[step].find(node);
      if (own == lanes_.ranks[rank].transfers[step].end())
        return std::nullopt;
      joint.arrivals.push_back(own->second.begin);
      joint.end = std::max(joint.end, own->second.end);
    }
    joint.last =
        static_cast<size_t>(std::max_element(joint.arrivals.begin(), joint.arrivals.end()) - joint.arrivals.begin());
    return joint;
  }

  const MatchedJob &job_;
  JobLanes lanes_;
};

} // namespace

int64_t medianOf(std::vector<int64_t> values) {
  if (values.empty())
    return 0;
  llvm::sort(values);
  const size_t middle = values.size() / 2;
  if (values.size() % 2 == 1)
    return values[middle];
  return values[middle - 1] + (values[middle] - values[middle - 1]) / 2;
}

const JointTransfer *JobLanes::find(size_t step, NodeIndex node, size_t rank) const {
  auto found = byMember.find({step, node, rank});
  return found == byMember.end() ? nullptr : &joint[found->second];
}

const Item *JobLanes::item(size_t rank, size_t step, const ItemKey &key) const {
  const std::map<ItemKey, size_t> &places = ranks[rank].places[step];
  auto found = places.find(key);
  return found == places.end() ? nullptr : &ranks[rank].steps[step][found->second];
}

JobLanes lanesOf(const MatchedJob &job) { return LanesBuilder(job).build(); }

} // namespace ccgraph::measured
