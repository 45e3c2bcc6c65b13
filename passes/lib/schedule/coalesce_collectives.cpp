// coalesce-collectives: c1 = f(a), ..., c2 = f(b)  ->  c1, c2 = f([a, b])
//
// One transfer of many bytes pays the latency once and uses the link better than many of few bytes. Members have one
// kind, group, reduction, dtype and device, and none depends on another. Computation keeps its order: launches, waits,
// views and operators that only move bytes may move, and no other node. schedule-overlap chooses order and buckets
// together.
//   may we      rewrite/candidates.h: whether it can be in a bucket; coalesce/runs.h: whether its launches can be
//               adjacent
//   which       in program order, each candidate joins the newest open bucket that accepts it, or opens a bucket
//   do it       rewrite/merge_bucket.h
// The choice reads the program only, so ranks that run the same program make the same buckets in the same order.
#include "ccgraph/passes/registry.h"
#include "rewrite/candidate_search.h"
#include "rewrite/issue_record.h"
#include "rewrite/merge_bucket.h"
#include "schedule/coalesce/runs.h"

#include <deque>

namespace ccgraph {

namespace {

class CoalesceCollectives final : public Pass {
public:
  CoalesceCollectives()
      : Pass({"coalesce-collectives",
              "Makes one collective of several of the same kind, group, reduction, dtype and device that can stand "
              "together "
              "while computation keeps its order.",
              Phase::Schedule,
              /*tolerance=*/0,
              /*reordersCollectives=*/true}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<CoalesceCollectives>(); }

private:
  ChoiceOption<BucketLayout> layout_{
      *this,
      "layout",
      BucketLayout::Grouped,
      {{"grouped", BucketLayout::Grouped}, {"flat", BucketLayout::Flat}},
      "grouped: one operator on a list of tensors; flat: one packed buffer, which all_to_all and broadcast need"};
  Option<ByteCount> maxBytes_{*this, "max-bytes", ByteCount{int64_t{256} << 20},
                              "largest bucket in bytes: a member counts with the larger of its input and its result"};
  Option<Count> maxCount_{*this, "max-count", Count{256}, "largest number of members of a bucket"};
  Option<Count> maxMoves_{*this, "max-moves", Count{128},
                          "largest number of other nodes that may move to bring one member to its bucket"};
  Option<Count> maxTries_{
      *this, "max-tries", Count{16},
      "largest number of open buckets that are tried for a collective, newest first, before it opens a new one"};
  Option<ByteCount> maxCopied_{*this, "max-copied", ByteCount{int64_t{32} << 20},
                               "flat: largest result that is copied out of the buffer where a view is not enough; "
                               "copying 32 MiB takes about as long as the latency that one collective less saves"};
  Statistic merged_{*this, "merged", "collectives merged into buckets"};
  Statistic buckets_{*this, "buckets", "buckets created"};
  Statistic bytes_{*this, "bytes", "bytes in buckets"};
  Statistic alone_{*this, "alone", "collectives that could be merged and found no partner"};
  Reason bucketed_{*this, RemarkKind::Merged, "bucketed", "merged into the bucket `into`, which has `members` members"};
  CandidateReasons obstacles_{
      *this,
      CandidateScope::AnyCollective,
      {.done = "merged",
       .rounding = "in a bucket the sum of more than two ranks may be computed in another order",
       .otherRank = "form another bucket"}};
  Reason large_{*this, RemarkKind::Missed, "too-large", "alone it has max-bytes or more"};
  Reason dependent_{
      *this, RemarkKind::Missed, "dependent",
      "between it and each bucket that it could join is a node that computes or must keep its position, and "
      "that depends on one of the two"};
  Reason entangled_{*this, RemarkKind::Missed, "dependent-region",
                    "more than max-moves nodes would have to move to bring it to any bucket that it could join"};
  Reason full_{*this, RemarkKind::Missed, "limit-reached",
               "each bucket that it could join has reached max-bytes or max-count"};
  Reason budget_{
      *this, RemarkKind::Missed, "over-budget",
      "in any bucket that it could join, the graph would exceed the memory budget; max-bytes is halved until "
      "it fits"};
  Reason partner_{*this, RemarkKind::Missed, "no-partner",
                  "no other collective of the graph could share a bucket with it"};
  friend class Coalescer;
};

/// One run.
class Coalescer {
public:
  Coalescer(CoalesceCollectives &pass, Graph &graph, PassContext &context);
  Changed run();

private:
  struct Key {
    /// those that may accept members, oldest first
    std::vector<OpenBucket *> open;
    uint32_t candidates = 0;
  };
  [[nodiscard]] const Reason *obstacle(Node *launch, Candidate &candidate);
  void collect();
  void place(const Candidate &candidate);
  [[nodiscard]] const Reason *refusal(OpenBucket &bucket, OpenBucket &newcomer);
  [[nodiscard]] const Reason *whyAlone(const Bucket &bucket) const;
  void merge(const Bucket &bucket);

  CoalesceCollectives &pass_;
  Graph &graph_;
  PassContext &context_;
  CandidateSearch search_;
  Runs runs_;
  std::vector<Candidate> found_;
  std::vector<Key> keys_;
  std::deque<OpenBucket> buckets_;
  /// by launch of a bucket of one: why it joined no bucket, or why the first newcomer to its bucket was rejected
  llvm::DenseMap<const Node *, const Reason *> refusals_;
};

Coalescer::Coalescer(CoalesceCollectives &pass, Graph &graph, PassContext &context)
    : pass_(pass), graph_(graph), context_(context),
      search_(graph, context, pass.obstacles_, {pass.layout_.get(), pass.maxCopied_.get().limit}),
      runs_(
          {graph, search_.facts(), search_.dependences(), pass.layout_.get(), orUnlimited(pass.maxMoves_.get().limit)},
          context.memoryBudget()) {}

/// Returns why this collective goes into no bucket; null if it can, and then `candidate` describes it.
const Reason *Coalescer::obstacle(Node *launch, Candidate &candidate) {
  if (const Reason *reason = search_.find(launch, candidate))
    return reason;
  return candidate.bytes() >= orUnlimited(pass_.maxBytes_.get().limit) ? &pass_.large_ : nullptr;
}

void Coalescer::collect() {
  for (Node *node : graph_) {
    if (!collectiveOf(*node))
      continue;
    Candidate candidate;
    if (const Reason *reason = obstacle(node, candidate)) {
      context_.remark(*reason, *node);
      continue;
    }
    keys_.resize(search_.numKeys());
    ++keys_[candidate.key].candidates;
    found_.push_back(candidate);
  }
}

/// Returns why the bucket rejects the newcomer; null if the newcomer is a member now.
const Reason *Coalescer::refusal(OpenBucket &bucket, OpenBucket &newcomer) {
  if (static_cast<int64_t>(bucket.members.size()) >= orUnlimited(pass_.maxCount_.get().limit) ||
      bucket.bytes + newcomer.bytes > orUnlimited(pass_.maxBytes_.get().limit))
    return &pass_.full_;
  switch (runs_.join(bucket, newcomer)) {
  case JoinVerdict::Joined:
    return nullptr;
  case JoinVerdict::Dependent:
    return &pass_.dependent_;
  case JoinVerdict::Entangled:
    return &pass_.entangled_;
  case JoinVerdict::OverBudget:
    return &pass_.budget_;
  }
  llvm_unreachable("no such verdict");
}

void Coalescer::place(const Candidate &candidate) {
  Key &key = keys_[candidate.key];
  OpenBucket newcomer = OpenBucket::of(candidate);
  for (OpenBucket *bucket : llvm::reverse(
           llvm::ArrayRef(key.open).take_back(static_cast<size_t>(orUnlimited(pass_.maxTries_.get().limit))))) {
    const Reason *reason = refusal(*bucket, newcomer);
    if (!reason)
      return;
    refusals_.try_emplace(bucket->members.front().launch, reason);
    refusals_[candidate.launch] = reason;
  }
  key.open.push_back(&buckets_.emplace_back(std::move(newcomer)));
}

const Reason *Coalescer::whyAlone(const Bucket &bucket) const {
  const Reason *reason = refusals_.lookup(bucket.members.front().launch);
  return reason ? reason : keys_[bucket.key].candidates == 1 ? &pass_.partner_ : &pass_.dependent_;
}

void Coalescer::merge(const Bucket &bucket) {
  if (bucket.members.size() == 1) {
    ++pass_.alone_;
    return context_.remark(*whyAlone(bucket), *bucket.members.front().launch);
  }
  mergeBucket(graph_, bucket, {context_, pass_.layout_.get(), pass_.bucketed_});
  ++pass_.buckets_;
  pass_.merged_ += static_cast<int64_t>(bucket.members.size());
  pass_.bytes_ += bucket.bytes;
}

Changed Coalescer::run() {
  IssueRecord record(graph_);
  collect();
  for (const Candidate &candidate : found_)
    place(candidate);
  for (const Bucket &bucket : buckets_)
    merge(bucket);
  if (pass_.buckets_.value() == 0)
    return Changed::No;
  record.stateMoves(graph_, context_.certificate());
  return Changed::Yes;
}

llvm::Expected<Changed> CoalesceCollectives::run(Graph &graph, PassContext &context) {
  return Coalescer(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createCoalesceCollectives() { return std::make_unique<CoalesceCollectives>(); }

} // namespace ccgraph
