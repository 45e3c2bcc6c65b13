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
// Ownership: refers to the problem. Failure: none. Cost: PerfectClock O(1) a call; CrowdedClock O(streams in use) an
// event, two events a transfer. Times are picoseconds, rounded such that nothing is ever early.
#pragma once

#include "schedule/overlap/problem.h"

#include <deque>

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
    /// what is left: first this, then that at the share of the link
    int64_t latency;
    int64_t work;
    /// counts in the crowd
    bool onLink;
  };
  [[nodiscard]] int64_t &crowdOn(uint32_t stream) { return crowds_[linkOf_[stream]]; }
  [[nodiscard]] int64_t untilNextEvent();
  void advance(int64_t picoseconds);
  /// Of the first of the stream's queue; those that take no time end as they begin.
  void beginFirst(uint32_t stream);
  void enterLink(uint32_t stream);
  void endFirst(uint32_t stream);

  const Problem &problem_;
  int64_t now_ = 0;
  /// by stream: the first of each is running
  std::vector<std::deque<Transfer>> queues_;
  /// streams with something in their queue
  std::vector<uint32_t> running_;
  /// by stream; those that share with nobody have links of their own behind the others
  std::vector<size_t> linkOf_;
  /// by link: how many transfers share it now
  std::vector<int64_t> crowds_;
  /// by launch
  std::vector<TransferTimes> times_;
  std::vector<bool> ended_;
};

} // namespace ccgraph::overlap
