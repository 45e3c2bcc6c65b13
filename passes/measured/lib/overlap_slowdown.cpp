#include "overlap_slowdown.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::measured {
namespace {

class OverlapCounter {
public:
  OverlapCounter(const MatchedJob &job, const JobLanes &lanes) : job_(job), lanes_(lanes) {}

  OverlapSlowdown run() {
    for (size_t rank = 0; rank != lanes_.ranks.size(); ++rank)
      addRank(rank);
    const auto ranks = static_cast<int64_t>(std::max<size_t>(1, lanes_.ranks.size()));
    found_.overlapped /= ranks;
    found_.judged /= ranks;
    found_.slowed = std::max<int64_t>(0, found_.slowed / ranks);
    return std::move(found_);
  }

private:
  /// The executions of one item, or of all calls that take equally long.
  struct Times {
    std::vector<int64_t> alone;
    std::vector<int64_t> overlapped;
  };
  using CallClass = std::vector<uint32_t>;

  [[nodiscard]] CallClass classOf(size_t rank, size_t step, const Item &item) const {
    CallClass calls;
    for (NodeIndex node : job_.ranks[rank].steps[step].lane[item.entry].nodes)
      calls.push_back(job_.calls[node].sameCalls);
    return calls;
  }

  /// Returns the nanoseconds of the item during which some collective moves data of this rank.
  [[nodiscard]] int64_t overlapOf(const Item &item, llvm::ArrayRef<const JointTransfer *> moving) const {
    int64_t time = 0, covered = item.begin;
    for (const JointTransfer *joint : moving) {
      const int64_t begin = std::max(covered, joint->lastArrival()), end = std::min(item.end, joint->end);
      if (end > begin)
        time += end - begin, covered = end;
    }
    return time;
  }

  void addRank(size_t rank) {
    constexpr int64_t few = 20, half = 2;
    std::map<CallClass, Times> byClass;
    std::map<ItemKey, std::pair<CallClass, Times>> byItem;
    for (size_t step = 0; step != lanes_.steps; ++step) {
      const std::vector<const JointTransfer *> moving = movingIn(step, rank);
      for (const Item &item : lanes_.ranks[rank].steps[step]) {
        if (item.key.kind != ItemKey::Kind::Compute || item.duration() == 0)
          continue;
        const int64_t overlap = overlapOf(item, moving);
        const CallClass calls = classOf(rank, step, item);
        if (overlap * few <= item.duration())
          byClass[calls].alone.push_back(item.duration());
        else if (overlap * half >= item.duration()) {
          auto &[itemClass, times] = byItem[item.key];
          itemClass = calls;
          times.overlapped.push_back(item.duration());
        }
      }
    }
    addSlowdowns(byClass, byItem);
  }

  void addSlowdowns(std::map<CallClass, Times> &byClass, std::map<ItemKey, std::pair<CallClass, Times>> &byItem) {
    std::map<ItemKey, int64_t> &beyond = found_.beyond.emplace_back();
    for (auto &[key, entry] : byItem) {
      const int64_t time = medianOf(entry.second.overlapped);
      found_.overlapped += time;
      auto alone = byClass.find(entry.first);
      if (alone == byClass.end() || alone->second.alone.empty())
        continue;
      found_.judged += time;
      beyond[key] = time - medianOf(alone->second.alone);
      found_.slowed += beyond[key];
    }
  }

  /// Returns the collectives of a rank in a step, by their last arrival.
  [[nodiscard]] std::vector<const JointTransfer *> movingIn(size_t step, size_t rank) const {
    std::vector<const JointTransfer *> found;
    for (auto at = lanes_.byMember.lower_bound({step, 0, 0}); at != lanes_.byMember.end(); ++at) {
      const auto &[ofStep, node, member] = at->first;
      if (ofStep != step)
        break;
      if (member == rank)
        found.push_back(&lanes_.joint[at->second]);
    }
    llvm::sort(found, [](const JointTransfer *a, const JointTransfer *b) {
      return std::pair(a->lastArrival(), a->end) < std::pair(b->lastArrival(), b->end);
    });
    return found;
  }

  const MatchedJob &job_;
  const JobLanes &lanes_;
  OverlapSlowdown found_;
};

} // namespace

OverlapSlowdown slowdownOf(const MatchedJob &job, const JobLanes &lanes) { return OverlapCounter(job, lanes).run(); }

} // namespace ccgraph::measured
