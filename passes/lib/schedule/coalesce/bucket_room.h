// BucketRoom: would the program fit its memory budget with two buckets made one?
//
// A merged launch holds more than its members did: what each of them was the last to read, inputs until
// the last wait on any result and, if flat, two buffers. All of that is intervals of LiveBytes, so
// that the peak is asked of it, once the nodes stand where they would. mayFit() is the quick look before
// anything moves (what_if.h).
//
// Ownership: refers to the live bytes; buckets must not move in memory. Failure: none.
// Cost: mayFit() O(k log k) for k holders of what the nodes hold; hold() O(members) intervals of O(log n).
#pragma once

#include "analysis/what_if.h"
#include "schedule/coalesce/bucket_moves.h"

namespace ccgraph {

class BucketRoom {
public:
  BucketRoom(const Graph &graph, LiveBytes &memory, int64_t budget, BucketLayout layout)
      : memory_(memory), budget_(budget), layout_(layout), waitOf_(graph.idLimit()) {}

  void own(Bucket &bucket, const Candidate &member) { waitOf_[member.wait->id()] = &bucket; }
  /// False only if the moves alone would surely need more than the budget, at a row of [from, to) or at one that moves.
  [[nodiscard]] bool mayFit(const BucketMoves::Plan &plan, Node *from, Node *to) const;
  /// Adds what the merged launch holds, with the moves made: true if it fits. Then either drop() or accept().
  [[nodiscard]] bool hold(Bucket &bucket, Bucket &newcomer, llvm::ArrayRef<BucketMoves::Move> moves);
  /// Takes it back, while the moves still stand.
  void drop();
  /// Leaves it to the bucket.
  void accept();

private:
  void holdInFlight();
  void holdAll(const Candidate &member, Node *wait);
  void holdForMovedWaits(llvm::ArrayRef<BucketMoves::Move> moves);
  void addExtras();
  void addBuffers(Node *launch);
  void putResultsAside(const Bucket &part);
  void addResults(Node *launch);
  void addExtra(int64_t bytes, llvm::ArrayRef<Node *> holders, bool forGood = false);
  [[nodiscard]] int64_t bytesFreedAtLaunch(const Candidate &member) const;

  LiveBytes &memory_;
  int64_t budget_;
  BucketLayout layout_;
  /// by id of a wait
  std::vector<Bucket *> waitOf_;
  /// of the two at hand
  Bucket *bucket_ = nullptr;
  Bucket *newcomer_ = nullptr;
  std::vector<std::pair<LiveBytes::IntervalId, Node *>> holders_;
  /// buckets that a rearrangement gave another last wait
  std::vector<std::pair<Bucket *, Node *>> later_;
  std::vector<LiveBytes::IntervalId> extras_;
  std::vector<LiveBytes::IntervalId> oldExtras_;
  /// of all members, where they are to come out of one buffer
  std::vector<Bucket::Result> results_;
  /// those of them that this join put aside
  std::vector<LiveBytes::IntervalId> suspended_;
};

} // namespace ccgraph
