#include "replay.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace ccgraph::measured {
namespace {

constexpr int64_t unknown = std::numeric_limits<int64_t>::min();

/// Runs the programs of all ranks, each until it needs a collective that is not complete.
class ReplayRun {
public:
  explicit ReplayRun(const ReplayJob &job)
      : job_(job), states_(job.ranks.size()),
        ends_(job.repetitions, std::vector<int64_t>(job.transfers.size(), unknown)) {}

  std::optional<int64_t> run() {
    for (bool progress = true; progress;) {
      progress = false;
      for (size_t rank = 0; rank != states_.size(); ++rank)
        progress |= advance(rank);
    }
    std::vector<int64_t> done(job_.repetitions, 0);
    for (const State &state : states_) {
      if (state.ends.size() != job_.repetitions)
        return std::nullopt;
      for (size_t i = 0; i != done.size(); ++i)
        done[i] = std::max(done[i], state.ends[i]);
    }
    return done.size() == 1 ? done.front() : (done.back() - done.front()) / static_cast<int64_t>(done.size() - 1);
  }

private:
  struct State {
    size_t step = 0;
    size_t item = 0;
    int64_t now = 0;
    std::vector<int64_t> ends; ///< by repetition
  };

  /// Returns whether the rank executed an item.
  bool advance(size_t rank) {
    State &state = states_[rank];
    const std::vector<ReplayItem> &items = job_.ranks[rank];
    bool progress = false;
    while (state.step != job_.repetitions) {
      if (state.item == items.size()) {
        state.ends.push_back(state.now);
        ++state.step;
        state.item = 0;
        progress = true;
        continue;
      }
      if (!execute(rank, state, items[state.item]))
        return progress;
      ++state.item;
      progress = true;
    }
    return progress;
  }

  bool execute(size_t rank, State &state, const ReplayItem &item) {
    if (item.key.kind == ItemKey::Kind::Launch && item.transfer >= 0)
      launch(rank, state, item);
    if (item.key.kind == ItemKey::Kind::Wait)
      for (int32_t transfer : item.completes) {
        const std::optional<int64_t> end = endOf(state.step, transfer);
        if (!end)
          return false;
        state.now = std::max(state.now, *end);
      }
    state.now += item.duration;
    return true;
  }

  void launch(size_t rank, const State &state, const ReplayItem &item) {
    const ReplayTransfer &transfer = job_.transfers[static_cast<size_t>(item.transfer)];
    const auto place = static_cast<size_t>(llvm::find(transfer.members, rank) - transfer.members.begin());
    launches_[{state.step, item.transfer, place}] = state.now;
    delays_[{item.transfer, place}] = item.delay;
  }

  /// Returns the end of a collective; nothing if a member has not launched it.
  std::optional<int64_t> endOf(size_t step, int32_t index) {
    int64_t &end = ends_[step][static_cast<size_t>(index)];
    if (end != unknown)
      return end;
    const ReplayTransfer &transfer = job_.transfers[static_cast<size_t>(index)];
    int64_t last = unknown;
    for (size_t place = 0; place != transfer.members.size(); ++place) {
      auto launched = launches_.find({step, index, place});
      if (launched == launches_.end())
        return std::nullopt;
      int64_t ready = launched->second;
      if (int32_t before = transfer.before[place]; before >= 0) {
        const std::optional<int64_t> free = endOf(step, before);
        if (!free)
          return std::nullopt;
        ready = std::max(ready, *free);
      }
      last = std::max(last, ready + delays_[{index, place}]);
    }
    return ends_[step][static_cast<size_t>(index)] = last + transfer.duration;
  }

  const ReplayJob &job_;
  std::vector<State> states_;
  std::vector<std::vector<int64_t>> ends_;                          ///< by repetition and transfer
  std::map<std::tuple<size_t, int32_t, size_t>, int64_t> launches_; ///< by repetition, transfer, member
  std::map<std::pair<int32_t, size_t>, int64_t> delays_;
};

/// Computes the medians.
class ReplayBuilder {
public:
  ReplayBuilder(const MatchedJob &job, const JobLanes &lanes) : job_(job), lanes_(lanes) {}

  ReplayJob build() {
    constexpr size_t repetitions = 6;
    replay_.repetitions = lanes_.steps > 1 ? repetitions : 1;
    addTransfers();
    for (size_t rank = 0; rank != lanes_.ranks.size(); ++rank)
      addRank(rank);
    return std::move(replay_);
  }

private:
  using CellKey = std::pair<NodeIndex, std::vector<size_t>>;

  // The order of the collectives of a set of ranks is the same in all steps, so the first one shows it.
  void addTransfers() {
    std::map<CellKey, std::vector<int64_t>> durations;
    for (const JointTransfer &joint : lanes_.joint)
      durations[{joint.node, joint.members}].push_back(joint.end - joint.lastArrival());
    std::map<std::vector<size_t>, int32_t> latest;
    for (const JointTransfer &joint : lanes_.joint) {
      const CellKey key{joint.node, joint.members};
      if (places_.count(key))
        continue;
      const auto place = static_cast<int32_t>(replay_.transfers.size());
      auto [before, isFirst] = latest.try_emplace(joint.members, -1);
      places_[key] = place;
      replay_.transfers.push_back({joint.node, joint.members, std::max<int64_t>(0, medianOf(durations[key])),
                                   std::vector<int32_t>(joint.members.size(), before->second)});
      before->second = place;
    }
  }

  [[nodiscard]] int32_t placeOf(size_t step, NodeIndex node, size_t rank) const {
    const JointTransfer *joint = lanes_.find(step, node, rank);
    return joint ? places_.at({node, joint->members}) : -1;
  }

  /// Returns the end of the collective before this one on the same ranks in the same step, as measured.
  [[nodiscard]] std::optional<int64_t> endBefore(const JointTransfer &joint) const {
    const ReplayTransfer &own = replay_.transfers[static_cast<size_t>(places_.at({joint.node, joint.members}))];
    if (own.before.front() < 0)
      return std::nullopt;
    const NodeIndex node = replay_.transfers[static_cast<size_t>(own.before.front())].node;
    const JointTransfer *before = lanes_.find(joint.step, node, joint.members.front());
    return before ? std::optional(before->end) : std::nullopt;
  }

  void addRank(size_t rank) {
    std::vector<ReplayItem> items;
    for (const Item &like : lanes_.ranks[rank].steps.front()) {
      ReplayItem item{like.key};
      std::vector<int64_t> durations, unmatched, delays;
      for (size_t step = 0; step != lanes_.steps; ++step)
        if (const Item *own = lanes_.item(rank, step, like.key)) {
          durations.push_back(durationOf(*own, step, rank));
          unmatched.push_back(own->unmatched);
          if (own->key.kind == ItemKey::Kind::Launch)
            addDelay(*own, step, rank, delays);
        }
      item.duration = medianOf(std::move(durations));
      item.unmatched = medianOf(std::move(unmatched));
      item.delay = medianOf(std::move(delays));
      addLinks(item, rank);
      items.push_back(std::move(item));
    }
    replay_.ranks.push_back(std::move(items));
  }

  /// Returns the time that the replay adds: of a wait, what is left after the end of the collective.
  [[nodiscard]] int64_t durationOf(const Item &item, size_t step, size_t rank) const {
    if (item.key.kind != ItemKey::Kind::Wait)
      return item.duration();
    int64_t end = item.begin;
    for (NodeIndex launch : job_.calls[item.key.node].launches)
      if (const JointTransfer *joint = lanes_.find(step, launch, rank))
        end = std::max(end, joint->end);
    return std::max<int64_t>(0, item.end - end);
  }

  void addDelay(const Item &item, size_t step, size_t rank, std::vector<int64_t> &delays) const {
    const JointTransfer *joint = lanes_.find(step, item.key.node, rank);
    if (!joint)
      return;
    const auto place = static_cast<size_t>(llvm::find(joint->members, rank) - joint->members.begin());
    const int64_t ready = std::max(item.begin, endBefore(*joint).value_or(item.begin));
    delays.push_back(std::max<int64_t>(0, joint->arrivals[place] - ready));
  }

  void addLinks(ReplayItem &item, size_t rank) const {
    if (item.key.kind == ItemKey::Kind::Launch)
      item.transfer = placeOf(0, item.key.node, rank);
    if (item.key.kind == ItemKey::Kind::Wait)
      for (NodeIndex launch : job_.calls[item.key.node].launches)
        if (int32_t place = placeOf(0, launch, rank); place >= 0)
          item.completes.push_back(place);
  }

  const MatchedJob &job_;
  const JobLanes &lanes_;
  std::map<CellKey, int32_t> places_;
  ReplayJob replay_;
};

} // namespace

std::optional<int64_t> ReplayJob::step() const { return ReplayRun(*this).run(); }

ReplayJob replayOf(const MatchedJob &job, const JobLanes &lanes) { return ReplayBuilder(job, lanes).build(); }

} // namespace ccgraph::measured
