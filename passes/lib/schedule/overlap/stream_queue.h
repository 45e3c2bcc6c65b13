// StreamQueue: what one group's stream could be given next.
//
// Three kinds of launches, by what binds them:
//   prefetch   reads parameters alone, so it may go at any time (the gather of a sharded weight); its
//              *latest start* is the moment at which it, and all that follow it, must begin to be in time
//   prompt     was produced by computation, and some step needs its result soon: goes at once
//   lasting    was produced by computation, and nothing needs it before the end (the reduction of a
//              gradient): goes when the stream has nothing better to do, and may wait for others to join it
//
// Ownership: refers to tasks. Fails never. Cost: O(log n) to put in, amortised O(1) to take out.
#pragma once

#include "schedule/overlap/tasks.h"

#include <deque>
#include <map>

namespace ccgraph::overlap {

class StreamQueue {
public:
  /// `prefetches` of this stream, in program order.
  StreamQueue(const Tasks &tasks, std::vector<uint32_t> prefetches);

  /// A launch that reads what was computed, all of which stands now.
  void produced(uint32_t launch);
  /// Takes it out, wherever it is.
  void launched(uint32_t launch);

  /// In the order in which they are needed: the ones not launched yet.
  [[nodiscard]] llvm::ArrayRef<uint32_t> prefetches() const { return llvm::ArrayRef(prefetches_).drop_front(next_); }
  /// True of a prefetch that went out of turn.
  [[nodiscard]] bool isGone(uint32_t prefetch) const { return gone_[prefetch - firstPrefetch_]; }
  /// When the first of them must begin, on the clock of Tasks::computeBefore().
  [[nodiscard]] int64_t latestStart() const { return latestStart_[next_]; }
  [[nodiscard]] bool hasPrompt() const { return !prompt_.empty(); }
  /// The one that is needed first.
  [[nodiscard]] uint32_t firstPrompt() const { return prompt_.begin()->second; }
  [[nodiscard]] bool hasLasting() const { return numLasting_ > 0; }
  /// How long the oldest of them takes alone; 0 where there is none.
  [[nodiscard]] int64_t lastingTime() const;
  /// Those that may be one with the oldest, up to so many bytes; the oldest in any case. Ascending.
  [[nodiscard]] std::vector<uint32_t> lasting(int64_t bytes) const;

private:
  /// Lasting launches of one key, oldest first.
  struct Kin {
    uint32_t key;
    std::deque<uint32_t> launches;
  };
  /// There is a lasting launch.
  [[nodiscard]] const Kin &oldest() const;
  [[nodiscard]] bool lasts(uint32_t launch) const { return tasks_.neededBy(launch) + 1 >= tasks_.size(); }

  const Tasks &tasks_;
  std::vector<uint32_t> prefetches_;
  std::vector<int64_t> latestStart_;
  uint32_t firstPrefetch_ = 0;
  /// by task, from the first prefetch to the last
  std::vector<bool> gone_;
  size_t next_ = 0;
  /// by the task that needs it, and then as they were produced
  std::multimap<uint32_t, uint32_t> prompt_;
  std::vector<Kin> lasting_;
  size_t numLasting_ = 0;
};

} // namespace ccgraph::overlap
