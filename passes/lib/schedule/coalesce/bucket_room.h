// BucketRoom: would the program fit its memory budget with two buckets made one?
//
// A merged launch holds more than its members: the inputs that a member was the last to read, all inputs until the last
// wait on any result and, if flat, two buffers. All of these are intervals of LiveBytes, which gives the peak once the
// nodes stand where they would.
//
// Ownership: refers to the live bytes; buckets must not move in memory. Failure: none.
// Cost: hold() O(members), and O(log n) for each of the few intervals that it adds.
#pragma once

#include "analysis/live_bytes.h"
#include "rewrite/bucket.h"

namespace ccgraph {

/// A bucket that may take members. One of several holds memory as the one launch that it will become.
struct OpenBucket : Bucket {
  /// waits, in program order, that stand first and last among the members'
  Node *firstWait = nullptr;
  Node *lastWait = nullptr;
  /// intervals of what only the merged launch holds
  std::vector<LiveBytes::IntervalId> extras;
  /// in a grouped bucket of several: what all of its waits hold together
  std::optional<LiveBytes::ShareId> share;
  /// suspended intervals of the members' results, where these will come out of one flat buffer
  struct Result {
    LiveBytes::IntervalId interval;
    /// a copy, which begins to live at its wait; else a view, which keeps the buffer alive
    bool copied;
  };
  std::vector<Result> results;
};

class BucketRoom {
public:
  BucketRoom(LiveBytes &memory, int64_t budget, BucketLayout layout)
      : memory_(memory), budget_(budget), layout_(layout) {}

  /// Adds what the merged launch holds, with the launches in one run, whose last is the newcomer's: true if it fits.
  /// Then either drop() or accept().
  [[nodiscard]] bool hold(OpenBucket &bucket, OpenBucket &newcomer);
  /// Takes it back, while the moves still stand.
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
  /// of the two at hand
  OpenBucket *bucket_ = nullptr;
  OpenBucket *newcomer_ = nullptr;
  /// what the bucket's share had before
  LiveBytes::Extent shared_;
  std::vector<LiveBytes::IntervalId> extras_;
  std::vector<LiveBytes::IntervalId> oldExtras_;
  /// copies of results that this join put aside: they stay as they are in later joins
  std::vector<LiveBytes::IntervalId> copies_;
  /// of all members, where they are to come out of one buffer
  std::vector<OpenBucket::Result> results_;
  /// those of them that this join put aside
  std::vector<OpenBucket::Result> aside_;
};

} // namespace ccgraph
