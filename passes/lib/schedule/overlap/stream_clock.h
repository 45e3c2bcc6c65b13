// PerfectClock, CrowdedClock: compute when computation and collectives run, as they are issued one by one.
//
// Computation is one stream, each group is another, and each runs its work in order. On a machine without contention
// (perfect), no activity slows another, so the end of a collective is known when it is issued. With contention
// (Crowding), concurrent collectives on one link share it evenly, each after its own latency, and computation is slower
// while any collective runs. So later work changes the end of earlier work, and time advances from event to event.
//
// Both have the same interface. Begin and end of a collective are final after idleUntil() was called for it.
//
// Ownership: refers to the problem. Failure: none. Cost: PerfectClock O(1) a call; CrowdedClock O(log n) an event, two
// events a collective. Times are picoseconds, rounded so that no event is early.
#pragma once

#include "schedule/overlap/problem.h"

#include <compare>
#include <deque>
#include <queue>
#include <set>

namespace ccgraph::overlap {

struct TransferTimes {
  int64_t begin = 0;
  int64_t end = 0;
};

class PerfectClock {
public:
  explicit PerfectClock(const Problem &problem)
      : problem_(problem), free_(problem.streams), times_(problem.steps.size()) {}
  [[nodiscard]] int64_t now() const { return now_; }
  void compute(int64_t picoseconds) { now_ += picoseconds; }
  /// Starts the collective of all members of a bucket; `launch` is the first of them.
  void start(uint32_t launch, int64_t picoseconds);
  /// Stalls the compute stream; returns for how long.
  int64_t idleUntil(uint32_t launch);
  [[nodiscard]] TransferTimes times(uint32_t launch) const { return times_[launch]; }

private:
  const Problem &problem_;
  int64_t now_ = 0;
  /// by stream
  std::vector<int64_t> free_;
  /// by launch
  std::vector<TransferTimes> times_;
};

class CrowdedClock {
public:
  explicit CrowdedClock(const Problem &problem);
  [[nodiscard]] int64_t now() const { return now_; }
  void compute(int64_t picoseconds);
  void start(uint32_t launch, int64_t picoseconds);
  int64_t idleUntil(uint32_t launch);
  [[nodiscard]] TransferTimes times(uint32_t launch) const { return times_[launch]; }

private:
  struct Transfer {
    uint32_t launch;
    /// the latency first, then the work at its share of the link
    int64_t latency;
    int64_t work;
  };
  /// All collectives on a link progress at the same rate. So each ends when the link has done, for each of them, the
  /// work done at this one's arrival plus this one's work.
  struct Link {
    /// work done for each by the time `at`
    int64_t done = 0;
    int64_t at = 0;
    /// work done for each when it ends, and its stream; the first to end on top
    using Sharer = std::pair<int64_t, uint32_t>;
    std::priority_queue<Sharer, std::vector<Sharer>, std::greater<>> sharers;
    [[nodiscard]] auto crowd() const { return static_cast<int64_t>(sharers.size()); }
  };
  /// The end of a stream's latency, or of the first collective on a link.
  struct Event {
    int64_t time;
    bool isLink;
    size_t index;
    auto operator<=>(const Event &) const = default;
  };
  void runUntil(int64_t time);
  void forget(size_t link);
  void expect(size_t link);
  void bringUpToNow(Link &link) const;
  /// Starts the first collective of the stream's queue; collectives without duration end immediately.
  void beginFirst(uint32_t stream);
  void enterLink(uint32_t stream);
  void endOnLink(size_t link);
  void endFirst(uint32_t stream);

  const Problem &problem_;
  int64_t now_ = 0;
  /// by stream: the first of each queue is running
  std::vector<std::deque<Transfer>> queues_;
  size_t running_ = 0;
  /// by stream; streams that share no link have links of their own after the others
  std::vector<size_t> linkOf_;
  std::vector<Link> links_;
  std::set<Event> events_;
  /// by launch
  std::vector<TransferTimes> times_;
  std::vector<bool> ended_;
};

} // namespace ccgraph::overlap
