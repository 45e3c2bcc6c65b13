#include "schedule/coalesce/bucket_merge.h"

namespace ccgraph {

BucketMerger::BucketMerger(const Inputs &inputs, LiveBytes *memory, int64_t budget)
    : search_(inputs.graph, inputs.dependences, inputs.maxMoves), moves_(inputs.graph, memory) {
  if (memory)
    room_.emplace(*memory, budget, inputs.layout);
}

void BucketMerger::open(Bucket &bucket) {
  const Candidate &only = bucket.members.front();
  search_.own(bucket, only);
  bucket.firstWait = bucket.lastWait = only.wait;
}

void BucketMerger::accept(Bucket &bucket, Bucket &newcomer) {
  for (const Candidate &member : newcomer.members) {
    search_.own(bucket, member);
    bucket.members.push_back(member);
  }
  bucket.bytes += newcomer.bytes;
  bucket.firstWait = std::min(bucket.firstWait, newcomer.firstWait, standsBefore);
  bucket.lastWait = std::max(bucket.lastWait, newcomer.lastWait, standsBefore);
  if (room_)
    room_->accept();
  moves_.accept();
  newcomer.members.clear();
}

// What the search has reached on a side is what has to move, the launches of the bucket that moves apart from the rest.
// The quick look (mayFit) comes first, since it changes nothing; then the nodes are moved, and the count of live bytes,
// which moves along, is asked for the peak. If that is too much, all moves are taken back.
MergeVerdict BucketMerger::tryPlace(Bucket &bucket, Bucket &newcomer, Side side) {
  const Bucket &staying = side == Side::Up ? bucket : newcomer;
  const Bucket &coming = side == Side::Up ? newcomer : bucket;
  std::vector<Node *> nodes;
  llvm::copy_if(search_.reached(side), std::back_inserter(nodes),
                [&](const Node *node) { return search_.bucketOf(node) != &coming; });
  llvm::sort(nodes, standsBefore);
  std::vector<Node *> launches;
  for (const Candidate &member : coming.members)
    launches.push_back(member.launch);
  BucketMoves::Plan plan{side, nodes, launches, staying.members.front().launch, staying.members.back().launch};
  Node *from = bucket.members.back().launch->next();
  if (room_ && !room_->mayFit(plan, from, newcomer.members.front().launch))
    return MergeVerdict::OverBudget;
  moves_.make(plan);
  if (!room_ || room_->hold(bucket, newcomer)) {
    accept(bucket, newcomer);
    return MergeVerdict::Joined;
  }
  room_->drop();
  moves_.undo();
  return MergeVerdict::OverBudget;
}

// A newcomer that rises holds its result for longer, and a bucket that sinks holds its inputs for longer. So where one
// way exceeds the budget, the other may still fit.
MergeVerdict BucketMerger::join(Bucket &bucket, Bucket &newcomer) {
  Side side = Side::Up;
  if (MergeVerdict found = search_.find(bucket, newcomer, side); found != MergeVerdict::Joined)
    return found;
  if (room_ && !room_->mayFitBuffers(bucket, newcomer))
    return MergeVerdict::OverBudget;
  MergeVerdict verdict = tryPlace(bucket, newcomer, side);
  if (verdict != MergeVerdict::OverBudget)
    return verdict;
  Side other = otherSide(side);
  return search_.exhaust(other) ? tryPlace(bucket, newcomer, other) : verdict;
}

} // namespace ccgraph
