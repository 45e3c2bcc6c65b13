#include "schedule/coalesce/bucket_search.h"

namespace ccgraph {

MergeVerdict BucketSearch::find(const Bucket &bucket, const Bucket &newcomer, Side &side) {
  bucket_ = &bucket;
  newcomer_ = &newcomer;
  if (dependences_.stretch(bucket.members.front().launch) != dependences_.stretch(newcomer.members.front().launch))
    return MergeVerdict::Dependent;
  start();
  return searchBoth(side);
}

void BucketSearch::start() {
  ++search_;
  for (Frontier &frontier : frontier_)
    frontier = {};
  for (const Candidate &member : bucket_->members)
    reach(Side::Down, member.launch);
  for (const Candidate &member : newcomer_->members)
    reach(Side::Up, member.launch);
}

void BucketSearch::reach(Side side, Node *node) {
  uint32_t &stamp = stamp_[index(side)][node->id()];
  if (stamp == search_)
    return;
  stamp = search_;
  frontier_[index(side)].reached.push_back(node);
}

/// False if the node proves that the newcomer needs the bucket.
bool BucketSearch::visit(Side side, Node *node) {
  Bucket *bucket = bucketOf_[node->id()];
  if (side == Side::Up) {
    if (bucket == bucket_)
      return false;
    if (node->isBefore(bucket_->members.front().launch))
      return true;
  } else {
    if (bucket == newcomer_)
      return false;
    if (!node->isBefore(newcomer_->members.front().launch))
      return true;
  }
  // Because the members of another bucket will be one node: whoever needs one of them needs all.
  if (!bucket)
    reach(side, node);
  else
    for (const Candidate &member : bucket->members)
      reach(side, member.launch);
  return true;
}

bool BucketSearch::expand(Side side) {
  Frontier &frontier = frontier_[index(side)];
  Node *node = frontier.reached[frontier.next++];
  if (side == Side::Up) {
    for (const Use &use : node->operandUses())
      if (!visit(side, use.def()))
        return false;
    return llvm::all_of(dependences_.before(node), [&](Node *other) { return visit(side, other); });
  }
  for (const Use &use : node->uses())
    if (!visit(side, use.user()))
      return false;
  return llvm::all_of(dependences_.after(node), [&](Node *other) { return visit(side, other); });
}

/// Goes on with one side until it is exhausted. False if it meets the other end, or would make more
/// nodes move than the limit.
bool BucketSearch::exhaust(Side side) {
  Frontier &frontier = frontier_[index(side)];
  while (!frontier.exhausted())
    if (frontier.reached.size() > limit(side) || !expand(side))
      return false;
  return frontier.reached.size() <= limit(side);
}

/// The ends of the search themselves move anyway.
size_t BucketSearch::limit(Side side) const {
  size_t ends = (side == Side::Up ? newcomer_ : bucket_)->members.size();
  return maxMoves_ ? ends + static_cast<size_t>(*maxMoves_) : SIZE_MAX;
}

/// Sets the side that needs the fewer moves, if there is one.
MergeVerdict BucketSearch::searchBoth(Side &side) {
  Frontier &up = frontier_[index(Side::Up)];
  Frontier &down = frontier_[index(Side::Down)];
  while (!up.exhausted() && !down.exhausted()) {
    if (up.reached.size() > limit(Side::Up) && down.reached.size() > limit(Side::Down))
      return MergeVerdict::Entangled;
    if (!expand(Side::Up) || !expand(Side::Down))
      return MergeVerdict::Dependent;
  }
  // Because a bucket that starts at its first member hides better than one at its last, going up
  // may cost a little more.
  for (size_t more = up.reached.size() + 8; !up.exhausted() && more > 0; --more)
    if (!expand(Side::Up))
      return MergeVerdict::Dependent;
  side = up.exhausted() && up.reached.size() <= limit(Side::Up) ? Side::Up : Side::Down;
  if (exhaust(side))
    return MergeVerdict::Joined;
  side = otherSide(side);
  return exhaust(side) ? MergeVerdict::Joined : MergeVerdict::Entangled;
}

} // namespace ccgraph
