// PerfectClock, CrowdedClock: when computation and transfers run, as they are issued one after the other.
//
// Computation is one stream, each group is another, and each does what it is given in order. On a perfect machine
// nothing disturbs anything else, so that the end of a transfer is known when it is issued. On a crowded one (Crowding)
// transfers that go over one link at once share it evenly, each after a latency of its own, and computation is slower
// while any transfer runs; so what is issued later moves the end of what was issued before, and time advances from one
// event to the next.
//
// Both take the same calls. Of a transfer, begin and end are known at the latest when idleUntil() has been asked of it.
//
// Ownership: refers to the problem. Failure: none. Cost: PerfectClock O(1) a call; CrowdedClock O(log n) an event, two
// events a transfer. Times are picoseconds, rounded such that nothing is ever early.
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
  /// Of all members of a bucket, `launch` being the first.
  void start(uint32_t launch, int64_t picoseconds);
  /// Computation idles; returns for how long.
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
    /// first this, then that at the share of the link
    int64_t latency;
    int64_t work;
  };
  /// All transfers on a link get on alike, so each ends when the link has done, for each, what it had when this one came
  /// and this one's work.
  struct Link {
    /// what was done for each by that time
    int64_t done = 0;
    int64_t at = 0;
    /// what must be done for each when it ends, and its stream; the first to end on top
    using Sharer = std::pair<int64_t, uint32_t>;
    std::priority_queue<Sharer, std::vector<Sharer>, std::greater<>> sharers;
    [[nodiscard]] auto crowd() const { return static_cast<int64_t>(sharers.size()); }
  };
  /// When a stream's latency is over, or the first on a link ends.
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
  /// Of the first of the stream's queue; those that take no time end as they begin.
  void beginFirst(uint32_t stream);
  void enterLink(uint32_t stream);
  void endOnLink(size_t link);
  void endFirst(uint32_t stream);

  const Problem &problem_;
  int64_t now_ = 0;
  /// by stream: the first of each is running
  std::vector<std::deque<Transfer>> queues_;
  size_t running_ = 0;
  /// by stream; those that share with nobody have links of their own behind the others
  std::vector<size_t> linkOf_;
  std::vector<Link> links_;
  std::set<Event> events_;
  /// by launch
  std::vector<TransferTimes> times_;
  std::vector<bool> ended_;
};

} // namespace ccgraph::overlap
