// Transfers: the collectives launched in a trial schedule, and when each of them ends.
//
// Ownership: refers to problem and tasks. Failure: none. Cost: O(1) a member of a bucket, O(log n) a bucket.
#pragma once

#include "schedule/overlap/tasks.h"

#include <queue>

namespace ccgraph::overlap {

class Transfers {
public:
  Transfers(const Problem &problem, const Tasks &tasks);

  /// Starts one collective with all the members, tasks of one stream, issued at this moment. Returns its bucket.
  uint32_t start(llvm::ArrayRef<uint32_t> members, int64_t now);
  /// Returns when the stream has completed all its work.
  [[nodiscard]] int64_t freeAt(uint32_t stream) const { return free_[stream]; }
  /// Returns when all streams have completed their work.
  [[nodiscard]] int64_t allDone() const;

  [[nodiscard]] uint32_t bucketOf(uint32_t launch) const { return bucketOf_[launch]; }
  [[nodiscard]] llvm::ArrayRef<uint32_t> members(uint32_t bucket) const { return buckets_[bucket].members; }
  [[nodiscard]] int64_t end(uint32_t bucket) const { return buckets_[bucket].end; }
  /// Returns the end of the last collective that the task needs to be complete; all of them must be started.
  [[nodiscard]] int64_t completesFor(uint32_t task) const;
  [[nodiscard]] bool completed(uint32_t bucket) const { return buckets_[bucket].completed; }
  void complete(uint32_t bucket) { buckets_[bucket].completed = true; }
  /// Returns the collective in flight that ends first, among those that are no prefetches and free memory on
  /// completion; none if there is none.
  [[nodiscard]] uint32_t firstToEnd();
  /// Returns the steps of those with two members or more.
  [[nodiscard]] std::vector<std::vector<uint32_t>> merged() const;

private:
  struct Bucket {
    std::vector<uint32_t> members;
    int64_t end = 0;
    bool completed = false;
  };
  const Problem &problem_;
  const Tasks &tasks_;
  std::vector<Bucket> buckets_;
  /// by task
  std::vector<uint32_t> bucketOf_;
  /// by stream
  std::vector<int64_t> free_;
  /// End and bucket of those that are no prefetches, the first to end on top; completed ones included.
  using InFlight = std::pair<int64_t, uint32_t>;
  std::priority_queue<InFlight, std::vector<InFlight>, std::greater<>> inFlight_;
};

} // namespace ccgraph::overlap
