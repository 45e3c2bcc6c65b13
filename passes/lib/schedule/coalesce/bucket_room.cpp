#include "schedule/coalesce/bucket_room.h"

namespace ccgraph {

bool BucketRoom::mayFit(const BucketMoves::Plan &plan, Node *from, Node *to) const {
  WhatIf moved(memory_, plan.nodes, plan.side == Side::Up ? plan.first : plan.last->next(), plan.apart);
  return moved.mayFitBetween(from, to, budget_) && moved.peakOfMoved() <= budget_;
}

int64_t BucketRoom::bytesFreedAtLaunch(const Candidate &member) const {
  int64_t bytes = 0;
  for (LiveBytes::IntervalId id : memory_.intervalsOf(member.launch))
    if (memory_.first(id) != member.launch && memory_.last(id) == member.launch && !memory_.isForGood(id))
      bytes += memory_.bytes(id);
  return bytes;
}

void BucketRoom::holdAll(const Candidate &member, Node *wait) {
  std::vector<LiveBytes::IntervalId> held = memory_.intervalsOf(member.launch).vec();
  memory_.addHolders(held, wait);
  for (LiveBytes::IntervalId id : held)
    holders_.emplace_back(id, wait);
}

/// Because one transfer holds all inputs and results, each lives on to the last wait on any result.
void BucketRoom::holdInFlight() {
  const Bucket *shorter = bucket_->lastWait->isBefore(newcomer_->lastWait) ? bucket_ : newcomer_;
  Node *lastWait = (shorter == bucket_ ? newcomer_ : bucket_)->lastWait;
  for (const Candidate &member : shorter->members)
    holdAll(member, lastWait);
}

/// Because the last wait of some bucket may be another one after a rearrangement.
void BucketRoom::holdForMovedWaits(llvm::ArrayRef<BucketMoves::Move> moves) {
  for (const BucketMoves::Move &step : moves) {
    Bucket *bucket = waitOf_[step.node->id()];
    if (!bucket || !bucket->lastWait->isBefore(step.node))
      continue;
    for (const Candidate &member : bucket->members)
      holdAll(member, step.node);
    later_.emplace_back(bucket, step.node);
  }
}

void BucketRoom::addExtra(int64_t bytes, llvm::ArrayRef<Node *> holders, bool forGood) {
  if (bytes != 0)
    extras_.push_back(memory_.addInterval(bytes, holders, {.forGood = forGood}));
}

/// What the one launch holds beyond what the run holds at its last member: operands that earlier
/// members were the last to read; and, if flat, two buffers.
void BucketRoom::addExtras() {
  Node *launch = newcomer_->members.back().launch;
  int64_t freed = 0;
  for (const Bucket *part : {bucket_, newcomer_})
    for (const Candidate &member : part->members)
      freed += member.launch == launch ? 0 : bytesFreedAtLaunch(member);
  addExtra(freed, {launch});
  if (layout_ == BucketLayout::Flat)
    addBuffers(launch);
}

void BucketRoom::addBuffers(Node *launch) {
  int64_t inputs = bucket_->inputBytes() + newcomer_->inputBytes();
  addExtra(inputs, {launch, std::min(bucket_->firstWait, newcomer_->firstWait, standsBefore)});
  addResults(launch);
}

/// The intervals of the members' own results; a bucket of one has not put them aside yet.
void BucketRoom::putResultsAside(const Bucket &part) {
  llvm::append_range(results_, part.results);
  if (part.members.size() > 1)
    return;
  Node *launch = part.members.front().launch;
  for (LiveBytes::IntervalId id : memory_.intervalsOf(launch).vec())
    if (memory_.first(id) == launch && memory_.bytes(id) != 0 && !llvm::is_contained(extras_, id)) {
      memory_.suspend(id);
      suspended_.push_back(id);
      results_.push_back({id, part.members.front().copied});
    }
}

/// One buffer for all results, alive until the last piece was copied out of it, and as long as one lives that is a view
/// of it. A copy is made where its wait stood.
void BucketRoom::addResults(Node *launch) {
  putResultsAside(*bucket_);
  putResultsAside(*newcomer_);
  llvm::SmallVector<Node *, 8> holders = {launch, std::max(bucket_->lastWait, newcomer_->lastWait, standsBefore)};
  bool forGood = false;
  for (Bucket::Result result : results_) {
    if (!result.copied) {
      holders.push_back(memory_.last(result.interval));
      forGood |= memory_.isForGood(result.interval);
      continue;
    }
    auto readers = llvm::make_filter_range(memory_.holders(result.interval),
                                           [&](const Node *node) { return node != memory_.first(result.interval); });
    addExtra(memory_.weight(result.interval), llvm::SmallVector<Node *, 4>(readers.begin(), readers.end()),
             memory_.isForGood(result.interval));
  }
  addExtra(bucket_->outputBytes() + newcomer_->outputBytes(), holders, forGood);
}

// What a merged launch holds beyond its members is told to the count before the launch is made: as later holders of the
// members' intervals, and as intervals of its own (extras). In
//   c1 = f(a); c2 = f(b); w1 = wait(c1); ...; w2 = wait(c2)
// a transfer of both holds a up to w2, where c1 alone would hold it up to w1. The extras that each of the two buckets
// has already are put aside, since those of the joined bucket take their place.
bool BucketRoom::hold(Bucket &bucket, Bucket &newcomer, llvm::ArrayRef<BucketMoves::Move> moves) {
  bucket_ = &bucket;
  newcomer_ = &newcomer;
  oldExtras_ = bucket_->extras;
  llvm::append_range(oldExtras_, newcomer_->extras);
  for (LiveBytes::IntervalId id : oldExtras_)
    memory_.suspend(id);
  if (layout_ == BucketLayout::Grouped) {
    holdInFlight();
    holdForMovedWaits(moves);
  }
  addExtras();
  return memory_.peak() <= budget_;
}

void BucketRoom::drop() {
  for (LiveBytes::IntervalId id : extras_)
    memory_.suspend(id);
  for (auto [interval, node] : llvm::reverse(holders_))
    memory_.removeHolder(interval, node);
  for (LiveBytes::IntervalId id : suspended_)
    memory_.resume(id);
  for (LiveBytes::IntervalId id : oldExtras_)
    memory_.resume(id);
  suspended_.clear();
  results_.clear();
  extras_.clear();
  holders_.clear();
  later_.clear();
}

void BucketRoom::accept() {
  for (auto [bucket, wait] : std::exchange(later_, {}))
    bucket->lastWait = std::max(bucket->lastWait, wait, standsBefore);
  bucket_->extras = std::exchange(extras_, {});
  bucket_->results = std::exchange(results_, {});
  suspended_.clear();
  holders_.clear();
}

} // namespace ccgraph
