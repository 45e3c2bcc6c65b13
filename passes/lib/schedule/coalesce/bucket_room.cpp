#include "schedule/coalesce/bucket_room.h"

namespace ccgraph {

int64_t BucketRoom::bytesFreedAtLaunch(const Candidate &member) const {
  int64_t bytes = 0;
  for (LiveBytes::IntervalId id : memory_.intervalsOf(member.launch))
    if (memory_.first(id) != member.launch && memory_.last(id) == member.launch && !memory_.isForGood(id))
      bytes += memory_.bytes(id);
  return bytes;
}

void BucketRoom::shareWith(const OpenBucket &part) {
  std::vector<LiveBytes::IntervalId> held;
  std::vector<Node *> waits;
  for (const Candidate &member : part.members) {
    waits.push_back(member.wait);
    for (LiveBytes::IntervalId id : memory_.intervalsOf(member.launch))
      if (memory_.bytes(id) != 0)
        held.push_back(id);
  }
  memory_.extend(*bucket_->share, held, waits);
}

/// One collective holds all inputs and results, so each is live until the last wait on any result.
void BucketRoom::shareInFlight() {
  if (!bucket_->share)
    bucket_->share = memory_.addShare();
  shared_ = memory_.extent(*bucket_->share);
  if (shared_.holders == 0)
    shareWith(*bucket_);
  shareWith(*newcomer_);
}

void BucketRoom::addExtra(int64_t bytes, llvm::ArrayRef<Node *> holders, bool forGood) {
  if (bytes != 0)
    extras_.push_back(memory_.addInterval(bytes, holders, {.forGood = forGood}));
}

/// Adds the memory of the merged launch beyond that of the run at its last member: operands whose last readers were
/// earlier members; and, if flat, two buffers.
void BucketRoom::addExtras() {
  Node *launch = newcomer_->members.back().launch;
  int64_t freed = 0;
  for (const OpenBucket *part : {bucket_, newcomer_})
    for (const Candidate &member : part->members)
      freed += member.launch == launch ? 0 : bytesFreedAtLaunch(member);
  addExtra(freed, {launch});
  if (layout_ == BucketLayout::Flat)
    addBuffers(launch);
}

void BucketRoom::addBuffers(Node *launch) {
  int64_t inputs = bucket_->inputBytes() + newcomer_->inputBytes();
  addExtra(inputs, {launch, std::min(bucket_->firstWait, newcomer_->firstWait, precedes)});
  addResults(launch);
}

/// Suspends the intervals of the members' own results; a bucket of one has not suspended its interval yet.
void BucketRoom::putResultsAside(const OpenBucket &part) {
  llvm::append_range(results_, part.results);
  if (part.members.size() > 1)
    return;
  Node *launch = part.members.front().launch;
  for (LiveBytes::IntervalId id : memory_.intervalsOf(launch))
    if (memory_.first(id) == launch && memory_.bytes(id) != 0 && !llvm::is_contained(extras_, id)) {
      memory_.suspend(id);
      aside_.push_back({id, part.members.front().copied});
    }
}

/// Adds one buffer for all results. It is live until the last piece is copied out of it, and as long as a view of it is
/// live.
void BucketRoom::addResults(Node *launch) {
  putResultsAside(*bucket_);
  putResultsAside(*newcomer_);
  llvm::append_range(results_, aside_);
  llvm::SmallVector<Node *, 8> holders = {launch, std::max(bucket_->lastWait, newcomer_->lastWait, precedes)};
  bool forGood = false;
  for (OpenBucket::Result result : results_) {
    if (result.copied)
      continue;
    holders.push_back(memory_.last(result.interval));
    forGood |= memory_.isForGood(result.interval);
  }
  addExtra(bucket_->outputBytes() + newcomer_->outputBytes(), holders, forGood);
  addCopies();
}

/// Adds the copies, each allocated at the position of its wait, with the readers of the result.
void BucketRoom::addCopies() {
  for (OpenBucket::Result result : aside_) {
    if (!result.copied)
      continue;
    llvm::SmallVector<Node *, 4> readers;
    memory_.forEachHolder(result.interval, [&](Node *node) {
      if (node != memory_.first(result.interval))
        readers.push_back(node);
    });
    copies_.push_back(
        memory_.addInterval(memory_.weight(result.interval), readers, {.forGood = memory_.isForGood(result.interval)}));
  }
}

// The memory of a merged launch beyond its members is added to the live bytes before the launch is created: as later
// holders of the members' intervals, and as separate intervals (extras). In
//   c1 = f(a); c2 = f(b); w1 = wait(c1); ...; w2 = wait(c2)
// a collective of both holds a up to w2, where c1 alone would hold it up to w1. The existing extras of the two buckets
// are suspended, since those of the joined bucket replace them.
bool BucketRoom::hold(OpenBucket &bucket, OpenBucket &newcomer) {
  bucket_ = &bucket;
  newcomer_ = &newcomer;
  oldExtras_ = bucket_->extras;
  llvm::append_range(oldExtras_, newcomer_->extras);
  for (LiveBytes::IntervalId id : oldExtras_)
    memory_.suspend(id);
  if (layout_ == BucketLayout::Grouped)
    shareInFlight();
  addExtras();
  return memory_.peak() <= budget_;
}

void BucketRoom::drop() {
  for (std::vector<LiveBytes::IntervalId> *added : {&copies_, &extras_}) {
    for (LiveBytes::IntervalId id : llvm::reverse(*added))
      memory_.removeInterval(id);
    added->clear();
  }
  if (layout_ == BucketLayout::Grouped)
    memory_.shrink(*bucket_->share, shared_);
  for (OpenBucket::Result result : aside_)
    memory_.resume(result.interval);
  for (LiveBytes::IntervalId id : oldExtras_)
    memory_.resume(id);
  aside_.clear();
  results_.clear();
}

void BucketRoom::accept() {
  for (LiveBytes::IntervalId id : oldExtras_)
    memory_.removeInterval(id);
  bucket_->extras = std::exchange(extras_, {});
  bucket_->results = std::exchange(results_, {});
  copies_.clear();
  aside_.clear();
}

} // namespace ccgraph
