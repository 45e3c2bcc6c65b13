// Transfers: what was launched while a program is walked, and when each of it ends.
//
// Ownership: refers to problem and tasks. Fails never. Cost: O(1) a member of a bucket, O(log n) a bucket.
#pragma once

#include "schedule/overlap/tasks.h"

#include <queue>

namespace ccgraph::overlap {

class Transfers {
public:
  Transfers(const Problem &problem, const Tasks &tasks);

  /// One transfer of all the members, tasks of one stream, issued at this moment. Returns its bucket.
  uint32_t start(llvm::ArrayRef<uint32_t> members, int64_t now);
  /// When the stream has done all that it was given.
  [[nodiscard]] int64_t freeAt(uint32_t stream) const { return free_[stream]; }
  /// When all streams have.
  [[nodiscard]] int64_t allDone() const;

  [[nodiscard]] uint32_t bucketOf(uint32_t launch) const { return bucketOf_[launch]; }
  [[nodiscard]] llvm::ArrayRef<uint32_t> members(uint32_t bucket) const { return buckets_[bucket].members; }
  [[nodiscard]] int64_t end(uint32_t bucket) const { return buckets_[bucket].end; }
  /// When the last transfer ends that the task needs landed; all of them were started.
  [[nodiscard]] int64_t completesFor(uint32_t task) const;
  [[nodiscard]] bool landed(uint32_t bucket) const { return buckets_[bucket].landed; }
  void land(uint32_t bucket) { buckets_[bucket].landed = true; }
  /// Of those that are no prefetches, whose completion gives memory back: the one in flight that ends first; none if there
  /// is none.
  [[nodiscard]] uint32_t firstToEnd();
  /// Steps of those that have two members or more.
  [[nodiscard]] std::vector<std::vector<uint32_t>> merged() const;

private:
  struct Bucket {
    std::vector<uint32_t> members;
    int64_t end = 0;
    bool landed = false;
  };
  const Problem &problem_;
  const Tasks &tasks_;
  std::vector<Bucket> buckets_;
  /// by task
  std::vector<uint32_t> bucketOf_;
  /// by stream
  std::vector<int64_t> free_;
  /// End and bucket of those that are no prefetches, the first to end on top; landed ones among them.
  using Flying = std::pair<int64_t, uint32_t>;
  std::priority_queue<Flying, std::vector<Flying>, std::greater<>> flying_;
};

} // namespace ccgraph::overlap
