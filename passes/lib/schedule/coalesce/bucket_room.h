// BucketRoom: would the program fit its memory budget with two buckets made one?
//
// A merged launch holds more than its members did: what each of them was the last to read, inputs until
// the last wait on any result and, if flat, two buffers. All of that is intervals of LiveBytes, so
// that the peak is asked of it, once the nodes stand where they would. mayFit() and mayFitBuffers() are
// the quick looks before anything moves.
//
// Ownership: refers to the live bytes; buckets must not move in memory. Failure: none.
// Cost: mayFit() O(k log k) for k holders of what the nodes hold (what_if.h); mayFitBuffers() O(members); hold() O(members),
// and O(log n) for each of the few intervals that it adds.
#pragma once

#include "analysis/what_if.h"
#include "schedule/coalesce/bucket_moves.h"

namespace ccgraph {

class BucketRoom {
public:
  BucketRoom(LiveBytes &memory, int64_t budget, BucketLayout layout)
      : memory_(memory), budget_(budget), layout_(layout) {}

  /// False only if the buffers of a flat bucket would surely need more than the budget, at a row between all launches
  /// and all waits of the two or at the last of these waits: nothing that moves changes what else is alive there.
  [[nodiscard]] bool mayFitBuffers(const Bucket &bucket, const Bucket &newcomer) const;
  /// False only if the moves alone would surely need more than the budget, at a row of [from, to) or at one that moves.
  [[nodiscard]] bool mayFit(const BucketMoves::Plan &plan, Node *from, Node *to) const;
  /// Adds what the merged launch holds, with the moves made: true if it fits. Then either drop() or accept().
  [[nodiscard]] bool hold(Bucket &bucket, Bucket &newcomer);
  /// Takes it back, while the moves still stand.
  void drop();
  /// Leaves it to the bucket.
  void accept();

private:
  void shareInFlight();
  void shareWith(const Bucket &part);
  void addExtras();
  void addBuffers(Node *launch);
  void putResultsAside(const Bucket &part);
  void addResults(Node *launch);
  void addCopies();
  void addExtra(int64_t bytes, llvm::ArrayRef<Node *> holders, bool forGood = false);
  [[nodiscard]] int64_t resultBytes(const Candidate &member) const;
  [[nodiscard]] int64_t bytesFreedAtLaunch(const Candidate &member) const;

  LiveBytes &memory_;
  int64_t budget_;
  BucketLayout layout_;
  /// of the two at hand
  Bucket *bucket_ = nullptr;
  Bucket *newcomer_ = nullptr;
  /// what the bucket's share had before
  LiveBytes::Extent shared_;
  std::vector<LiveBytes::IntervalId> extras_;
  std::vector<LiveBytes::IntervalId> oldExtras_;
  /// copies of results that this join put aside: they stay as they are in later joins
  std::vector<LiveBytes::IntervalId> copies_;
  /// of all members, where they are to come out of one buffer
  std::vector<Bucket::Result> results_;
  /// those of them that this join put aside
  std::vector<Bucket::Result> aside_;
};

} // namespace ccgraph
