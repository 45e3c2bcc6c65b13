// StreamQueue: the collectives that one group's stream could run next.
//
// There are three kinds of launches, by their constraints:
//   prefetch   may be issued long before its result is needed: it reads parameters only (the gather of a sharded
//              weight), or values that are computed long before (a gather that the backward pass repeats); its *latest
//              start* is the moment at which it, and all that follow it, must begin to be in time
//   prompt     reads computed values, and some step needs its result soon: it is issued immediately
//   lasting    reads computed values, and no step needs its result before the end (the reduction of a gradient): it is
//              issued when the stream has no better candidate, and may wait for others to join it
//
// Ownership: refers to tasks. Failure: none. Cost: O(log n) to insert, amortised O(1) to remove.
#pragma once

#include "schedule/overlap/tasks.h"

#include <deque>
#include <map>

namespace ccgraph::overlap {

class StreamQueue {
public:
  /// `prefetches` of this stream, in program order.
  StreamQueue(const Tasks &tasks, std::vector<uint32_t> prefetches);

  /// Inserts a launch whose computed inputs are all available now.
  void produced(uint32_t launch);
  /// Removes the launch from its list.
  void launched(uint32_t launch);

  /// Returns the prefetches that are not launched, in the order in which they are needed.
  [[nodiscard]] llvm::ArrayRef<uint32_t> prefetches() const { return llvm::ArrayRef(prefetches_).drop_front(next_); }
  /// Returns true for a prefetch that was launched out of turn.
  [[nodiscard]] bool isGone(uint32_t prefetch) const { return gone_[prefetch - firstPrefetch_]; }
  /// Returns when the first of them must begin, on the clock of Tasks::computeBefore().
  [[nodiscard]] int64_t latestStart() const { return latestStart_[next_]; }
  [[nodiscard]] bool hasPrompt() const { return !prompt_.empty(); }
  /// Returns the launch that is needed first.
  [[nodiscard]] uint32_t firstPrompt() const { return prompt_.begin()->second; }
  [[nodiscard]] bool hasLasting() const { return numLasting_ > 0; }
  /// Returns the time of the oldest of them alone; 0 if there is none.
  [[nodiscard]] int64_t lastingTime() const;
  /// Returns those that may be merged with the oldest, up to this many bytes; the oldest in any case. Ascending.
  [[nodiscard]] std::vector<uint32_t> lasting(int64_t bytes) const;

private:
  /// Lasting launches of one key, oldest first.
  struct Kin {
    uint32_t key;
    std::deque<uint32_t> launches;
  };
  /// Requires a lasting launch.
  [[nodiscard]] const Kin &oldest() const;
  [[nodiscard]] bool lasts(uint32_t launch) const { return tasks_.neededBy(launch) + 1 >= tasks_.size(); }

  const Tasks &tasks_;
  std::vector<uint32_t> prefetches_;
  std::vector<int64_t> latestStart_;
  uint32_t firstPrefetch_ = 0;
  /// by task, from the first prefetch to the last
  std::vector<bool> gone_;
  size_t next_ = 0;
  /// by the task that needs it, then in order of production
  std::multimap<uint32_t, uint32_t> prompt_;
  std::vector<Kin> lasting_;
  size_t numLasting_ = 0;
};

} // namespace ccgraph::overlap
