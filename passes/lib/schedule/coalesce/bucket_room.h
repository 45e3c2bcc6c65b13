// BucketRoom: decides whether the graph would fit its memory budget if two buckets were merged.
//
// A merged launch holds more than its members: the inputs that a member was the last to read, all inputs until the last
// wait on any result and, if flat, two buffers. All of these are intervals of LiveBytes, whose peak is read once the
// nodes are at their new positions.
//
// Ownership: refers to the live bytes; buckets must not move in memory. Failure: none.
// Cost: hold() takes O(members), and O(log n) for each of the few intervals that it adds.
#pragma once

#include "analysis/live_bytes.h"
#include "rewrite/bucket.h"

namespace ccgraph {

/// A bucket that may accept members. With several members, it holds memory as the one launch that it will become.
struct OpenBucket : Bucket {
  /// the first and the last wait of the members, in program order
  Node *firstWait = nullptr;
  Node *lastWait = nullptr;
  /// intervals of what only the merged launch holds
  std::vector<LiveBytes::IntervalId> extras;
  /// in a grouped bucket of several members: the intervals that all of its waits hold
  std::optional<LiveBytes::ShareId> share;
  /// suspended intervals of the members' results, which will lie in one flat buffer
  struct Result {
    LiveBytes::IntervalId interval;
    /// a copy, which is live from its wait on; else a view, which keeps the buffer alive
    bool copied;
  };
  std::vector<Result> results;

  /// Returns a bucket of one member.
  [[nodiscard]] static OpenBucket of(const Candidate &candidate) {
    OpenBucket bucket;
    bucket.key = candidate.key;
    bucket.bytes = candidate.bytes();
    bucket.members = {candidate};
    bucket.firstWait = bucket.lastWait = candidate.wait;
    return bucket;
  }
};

class BucketRoom {
public:
  BucketRoom(LiveBytes &memory, int64_t budget, BucketLayout layout)
      : memory_(memory), budget_(budget), layout_(layout) {}

  /// Adds the memory of the merged launch, with the launches in one run whose last is the newcomer's. Returns true if
  /// it fits. The caller must then call drop() or accept().
  [[nodiscard]] bool hold(OpenBucket &bucket, OpenBucket &newcomer);
  /// Removes it again, while the moves are still in place.
  void drop();
  /// Leaves it to the bucket.
  void accept();

private:
  void shareInFlight();
  void shareWith(const OpenBucket &part);
  void addExtras();
  void addBuffers(Node *launch);
  void putResultsAside(const OpenBucket &part);
  void addResults(Node *launch);
  void addCopies();
  void addExtra(int64_t bytes, llvm::ArrayRef<Node *> holders, bool forGood = false);
  [[nodiscard]] int64_t bytesFreedAtLaunch(const Candidate &member) const;

  LiveBytes &memory_;
  int64_t budget_;
  BucketLayout layout_;
  /// the two buckets of the present join
  OpenBucket *bucket_ = nullptr;
  OpenBucket *newcomer_ = nullptr;
  /// the earlier extent of the bucket's share
  LiveBytes::Extent shared_;
  std::vector<LiveBytes::IntervalId> extras_;
  std::vector<LiveBytes::IntervalId> oldExtras_;
  /// copies of results that this join suspended: later joins keep them
  std::vector<LiveBytes::IntervalId> copies_;
  /// results of all members, if they will lie in one buffer
  std::vector<OpenBucket::Result> results_;
  /// those of them that this join suspended
  std::vector<OpenBucket::Result> aside_;
};

} // namespace ccgraph
