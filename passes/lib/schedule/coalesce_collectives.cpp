// coalesce-collectives: c1 = f(a), ..., c2 = f(b)  ->  c1, c2 = f([a, b])
//
// One transfer of many bytes pays the latency once and fills the wire better than many of few.
// Members are of one kind, group, reduction, dtype and device, and need one another in no way.
//   may we      candidates.h: is this a collective that can stand in a bucket at all; BucketMerger: can these two be one
//   which       `place`: in program order, each candidate joins the newest open bucket that takes it, or opens its own; again until nothing joins
//   do it       bucket_rewrite.h
// All of this reads the program only, so that ranks that run the same program come to the same
// buckets in the same order.
#include "ccgraph/passes/registry.h"
#include "schedule/coalesce/bucket_merge.h"
#include "schedule/coalesce/bucket_rewrite.h"
#include "schedule/coalesce/candidates.h"
#include "schedule/coalesce/issue_record.h"

#include "analysis/lifetimes.h"

#include <deque>

namespace ccgraph {

namespace {

class CoalesceCollectives final : public Pass {
public:
  CoalesceCollectives()
      : Pass({"coalesce-collectives",
              "Makes one collective of several independent ones of the same kind, group, reduction, dtype and device.",
              Phase::Schedule,
              /*reassociates=*/false,
              /*reordersCollectives=*/true}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<CoalesceCollectives>(); }

private:
  ChoiceOption<BucketLayout> layout_{*this,
                                     "layout",
                                     BucketLayout::Grouped,
                                     {{"grouped", BucketLayout::Grouped}, {"flat", BucketLayout::Flat}},
                                     "grouped: one operator on a list of tensors; flat: one buffer, packed and "
                                     "unpacked, which all_to_all and broadcast need"};
  Option<ByteCount> maxBytes_{
      *this, "max-bytes", ByteCount{int64_t{256} << 20},
      "most bytes of a bucket: for each member the larger of what it sends and what it receives"};
  Option<Count> maxCount_{*this, "max-count", Count{256}, "most members of a bucket"};
  Option<Count> maxMoves_{*this, "max-moves", Count{128},
                          "most other nodes that may move to bring one member to its bucket"};
  Option<Count> maxTries_{*this, "max-tries", Count{16},
                          "most open buckets that a collective asks, newest first, before it opens its own"};
  Option<ByteCount> maxCopied_{
      *this, "max-copied", ByteCount{int64_t{32} << 20},
      "flat: largest result that is copied out of the buffer where a view of it would not do; a copy of 32 MiB takes "
      "about as long as the latency that one transfer less saves"};
  Statistic merged_{*this, "merged", "collectives that went into a bucket"};
  Statistic buckets_{*this, "buckets", "buckets made"};
  Statistic bytes_{*this, "bytes", "bytes in buckets"};
  Statistic alone_{*this, "alone", "collectives that could go into a bucket and found none"};
  Reason bucketed_{*this, RemarkKind::Merged, "bucketed", "went into the bucket `into` with `members` members"};
  Reason form_{
      *this, RemarkKind::Missed, "form",
      "an in-place, out, coalesced, synchronous or older form: only functional collectives on one tensor are merged"};
  Reason kind_{*this, RemarkKind::Missed, "kind", "a kind that is never merged (point-to-point, scatter, barrier)"};
  Reason needsFlat_{*this, RemarkKind::Missed, "needs-flat",
                    "no operator takes a list of these: layout=flat merges them"};
  Reason listForm_{*this, RemarkKind::Missed, "list-form",
                   "PyTorch's operator on a list refuses this dtype: layout=flat merges them"};
  Reason arguments_{*this, RemarkKind::Missed, "arguments", "has arguments that a bucket has no place for"};
  Reason readers_{*this, RemarkKind::Missed, "in-flight-readers",
                  "its result in flight is read by something else than the one wait, or is returned"};
  Reason waits_{*this, RemarkKind::Missed, "several-waits", "its result is waited for more than once"};
  Reason size_{*this, RemarkKind::Missed, "unknown-size", "its bytes are not known, so no limit can be held"};
  Reason rewritten_{
      *this, RemarkKind::Missed, "rewritten",
      "its result is written later, and a wait on any result of the list form may copy all results again"};
  Reason reshaped_{*this, RemarkKind::Missed, "reshaped",
                   "its input may have been reshaped in place, so its type does not tell what is sent"};
  Reason waitType_{*this, RemarkKind::Missed, "wait-type",
                   "its wait is stated to yield another type than the collective, which no bucket could keep"};
  Reason written_{*this, RemarkKind::Missed, "written",
                  "its result is written later, the pieces of a flat buffer are one storage, and to copy it out would "
                  "be more than max-copied"};
  Reason seen_{*this, RemarkKind::Missed, "place-seen",
               "its result is returned, passed to an opaque operator, or read by one that asks where in its storage it "
               "lies, and to copy it out of a flat buffer would be more than max-copied"};
  Reason strided_{*this, RemarkKind::Missed, "strided",
                  "its input or result is not contiguous, so it has no place in a flat buffer"};
  Reason splits_{*this, RemarkKind::Missed, "dynamic-splits", "its split sizes are known only at run time"};
  Reason spmd_{*this, RemarkKind::Missed, "not-spmd",
               "other ranks run other programs, so they could not be sure to make the same bucket"};
  Reason bitwise_{
      *this, RemarkKind::Missed, "bitwise",
      "results must keep every bit (--bitwise), and in a bucket its floating-point numbers, of more than two "
      "ranks, may be added in another order"};
  Reason large_{*this, RemarkKind::Missed, "too-large", "alone it has max-bytes or more"};
  Reason dependent_{*this, RemarkKind::Missed, "dependent",
                    "it needs a member of each bucket that it could join, or a member needs it"};
  Reason entangled_{*this, RemarkKind::Missed, "entangled",
                    "to bring it to any bucket that it could join, more than max-moves nodes would have to move"};
  Reason full_{*this, RemarkKind::Missed, "full", "each bucket that it could join is full by max-bytes or max-count"};
  Reason budget_{*this, RemarkKind::Missed, "over-budget",
                 "in any bucket that it could join, the program would need more than the memory budget"};
  Reason partner_{*this, RemarkKind::Missed, "no-partner", "nothing else in the program could share a bucket with it"};
  friend class Coalescer;
};

/// One run.
class Coalescer {
public:
  Coalescer(CoalesceCollectives &pass, Graph &graph, PassContext &context);
  Changed run();

private:
  /// The buckets of one key that may still take members, oldest first. `serial` numbers all buckets
  /// of the key; a bucket needs every open bucket with a serial from its `needs` on.
  struct Open {
    Bucket *bucket = nullptr;
    uint32_t serial = 0;
    uint32_t needs = 0;
  };
  struct Key {
    std::vector<Open> open;
    uint32_t next = 0;
    uint32_t candidates = 0;
    bool closed = false; ///< a bucket of this key is full, so nothing was tried on it any more
  };
  const Reason *obstacle(Node *launch, Candidate &candidate);
  [[nodiscard]] const Reason *reasonFor(Obstacle obstacle) const;
  void collect();
  void place(Bucket &bucket);
  bool round();
  [[nodiscard]] const Reason *reasonFor(MergeVerdict verdict) const;
  [[nodiscard]] bool fits(const Bucket &bucket, const Bucket &newcomer) const;
  void openBucket(const Candidate &candidate);
  void closeIfFull(Key &key, size_t index);
  void rewrite();
  void reportAlone(const Bucket &bucket);

  CoalesceCollectives &pass_;
  Graph &graph_;
  PassContext &context_;
  const ProgramFacts &facts_;
  CommGroups groups_;
  Dependences dependences_;
  Candidates candidates_;
  std::optional<LiveBytes> memory_;
  BucketMerger merger_;
  std::vector<Key> keys_;
  std::deque<Bucket> buckets_;
  llvm::DenseMap<const Node *, const Reason *>
      refusals_; ///< by launch: why the last bucket tried did not take it, or why the first that tried its bucket could not join
};

std::optional<LiveBytes> liveMemoryIf(bool wanted, Graph &graph, const ProgramFacts &facts) {
  if (!wanted)
    return std::nullopt;
  return liveMemory(graph, facts);
}

Coalescer::Coalescer(CoalesceCollectives &pass, Graph &graph, PassContext &context)
    : pass_(pass), graph_(graph), context_(context), facts_(context.analyses().facts()), groups_(graph, context.spmd()),
      dependences_(facts_, groups_),
      candidates_(graph, facts_, groups_, dependences_,
                  {pass.layout_.get(), pass.maxCopied_.get().limit, context.spmd(), context.bitwise()}),
      memory_(liveMemoryIf(context.memoryBudget().has_value(), graph, facts_)),
      merger_({graph, dependences_, pass.layout_.get(), pass.maxMoves_.get().limit}, memory_ ? &*memory_ : nullptr,
              context.memoryBudget().value_or(0)) {}

const Reason *Coalescer::reasonFor(Obstacle obstacle) const {
  switch (obstacle) {
  case Obstacle::Kind:
    return &pass_.kind_;
  case Obstacle::Form:
    return &pass_.form_;
  case Obstacle::NotSpmd:
    return &pass_.spmd_;
  case Obstacle::NeedsFlat:
    return &pass_.needsFlat_;
  case Obstacle::ListForm:
    return &pass_.listForm_;
  case Obstacle::Arguments:
    return &pass_.arguments_;
  case Obstacle::Readers:
    return &pass_.readers_;
  case Obstacle::SeveralWaits:
    return &pass_.waits_;
  case Obstacle::Bitwise:
    return &pass_.bitwise_;
  case Obstacle::Reshaped:
    return &pass_.reshaped_;
  case Obstacle::Rewritten:
    return &pass_.rewritten_;
  case Obstacle::UnknownSize:
    return &pass_.size_;
  case Obstacle::WaitType:
    return &pass_.waitType_;
  case Obstacle::Written:
    return &pass_.written_;
  case Obstacle::PlaceSeen:
    return &pass_.seen_;
  case Obstacle::Strided:
    return &pass_.strided_;
  case Obstacle::DynamicSplits:
    return &pass_.splits_;
  }
  llvm_unreachable("no such obstacle");
}

/// Why this collective goes into no bucket; null if it can, and then `candidate` is it.
const Reason *Coalescer::obstacle(Node *launch, Candidate &candidate) {
  std::variant<Candidate, Obstacle> found = candidates_.find(launch);
  if (const Obstacle *obstacle = std::get_if<Obstacle>(&found))
    return reasonFor(*obstacle);
  candidate = std::get<Candidate>(found);
  std::optional<int64_t> limit = pass_.maxBytes_.get().limit;
  return limit && candidate.bytes() >= *limit ? &pass_.large_ : nullptr;
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
    if (candidate.key >= keys_.size())
      keys_.resize(candidate.key + 1);
    ++keys_[candidate.key].candidates;
    openBucket(candidate);
  }
}

bool Coalescer::fits(const Bucket &bucket, const Bucket &newcomer) const {
  std::optional<int64_t> bytes = pass_.maxBytes_.get().limit;
  std::optional<int64_t> count = pass_.maxCount_.get().limit;
  return (!bytes || bucket.bytes + newcomer.bytes <= *bytes) &&
         (!count || static_cast<int64_t>(bucket.members.size() + newcomer.members.size()) <= *count);
}

void Coalescer::openBucket(const Candidate &candidate) {
  Bucket &bucket = buckets_.emplace_back();
  bucket.key = candidate.key;
  bucket.bytes = candidate.bytes();
  bucket.members.push_back(candidate);
  merger_.open(bucket);
}

/// Because nothing of one byte or more would fit any more, the bucket need not be asked again.
void Coalescer::closeIfFull(Key &key, size_t index) {
  const Bucket &bucket = *key.open[index].bucket;
  std::optional<int64_t> bytes = pass_.maxBytes_.get().limit;
  std::optional<int64_t> count = pass_.maxCount_.get().limit;
  if ((bytes && bucket.bytes >= *bytes) || (count && static_cast<int64_t>(bucket.members.size()) >= *count)) {
    key.open.erase(key.open.begin() + static_cast<ptrdiff_t>(index));
    key.closed = true;
  }
}

const Reason *Coalescer::reasonFor(MergeVerdict verdict) const {
  switch (verdict) {
  case MergeVerdict::Joined:
    return nullptr;
  case MergeVerdict::Dependent:
    return &pass_.dependent_;
  case MergeVerdict::Entangled:
    return &pass_.entangled_;
  case MergeVerdict::OverBudget:
    return &pass_.budget_;
  }
  llvm_unreachable("no such verdict");
}

// Dependences save questions. If the newcomer depends on open bucket 5, and that needs all open buckets from 3 on, then
// the newcomer depends on 3 and 4 as well, and the next that is asked is 2 (skipTo). If every bucket from the newest
// down to 3 refused for that reason, the newcomer needs all of these itself, which is noted for those that come after
// it.
/// Joins the bucket to the newest open one of its key that takes it; else it is open itself.
void Coalescer::place(Bucket &bucket) {
  Key &key = keys_[bucket.key];
  const Reason *reason = nullptr;
  uint32_t needs = key.next;
  bool unbroken = true;
  // Because where nothing fits the budget, asking every bucket would take a time that grows with the square of the program.
  int64_t tries = pass_.maxTries_.get().limit.value_or(INT64_MAX);
  for (size_t i = key.open.size(); i > 0; --tries) {
    if (tries == 0) {
      unbroken = false;
      break;
    }
    const Open &open = key.open[i - 1];
    if (!fits(*open.bucket, bucket)) {
      reason = &pass_.full_;
      refusals_.try_emplace(open.bucket->members.front().launch, reason);
      unbroken = false;
      --i;
      continue;
    }
    MergeVerdict verdict = merger_.join(*open.bucket, bucket);
    if (verdict == MergeVerdict::Joined)
      return closeIfFull(key, i - 1);
    reason = reasonFor(verdict);
    refusals_.try_emplace(open.bucket->members.front().launch, reason); // because it may be left alone by this
    unbroken &= verdict == MergeVerdict::Dependent;
    uint32_t skipTo = verdict == MergeVerdict::Dependent ? open.needs : open.serial;
    needs = unbroken ? skipTo : needs;
    // Because what needs a bucket needs all that the bucket needs.
    while (i > 0 && key.open[i - 1].serial >= skipTo)
      --i;
  }
  if (reason)
    refusals_[bucket.members.front().launch] = reason;
  key.open.push_back({&bucket, key.next++, unbroken ? 0 : needs});
}

/// Asks every bucket once, in program order. True if some joined another.
bool Coalescer::round() {
  for (Key &key : keys_)
    key.open.clear();
  std::vector<Bucket *> order;
  for (Bucket &bucket : buckets_)
    if (!bucket.members.empty())
      order.push_back(&bucket);
  llvm::sort(order, [](const Bucket *a, const Bucket *b) {
    return a->members.front().launch->isBefore(b->members.front().launch);
  });
  for (Bucket *bucket : order)
    place(*bucket);
  return llvm::any_of(order, [](const Bucket *bucket) { return bucket->members.empty(); });
}

void Coalescer::reportAlone(const Bucket &bucket) {
  ++pass_.alone_;
  const Node *launch = bucket.members.front().launch;
  const Key &key = keys_[bucket.key];
  const Reason *reason = refusals_.lookup(launch);
  if (!reason)
    reason = key.candidates == 1 ? &pass_.partner_ : key.closed ? &pass_.full_ : &pass_.dependent_;
  context_.remark(*reason, *launch);
}

void Coalescer::rewrite() {
  for (const Bucket &bucket : buckets_) {
    if (bucket.members.empty())
      continue;
    if (bucket.members.size() == 1) {
      reportAlone(bucket);
      continue;
    }
    MergedEntry entry =
        pass_.layout_.get() == BucketLayout::Flat ? rewriteFlat(graph_, bucket) : rewriteGrouped(graph_, bucket);
    for (const Candidate &member : bucket.members)
      context_.remark(pass_.bucketed_, *member.launch,
                      {{"into", entry.launch->name().str().str()},
                       {"members", std::to_string(bucket.members.size())},
                       {"bytes", std::to_string(member.bytes())}});
    ++pass_.buckets_;
    pass_.merged_ += static_cast<int64_t>(bucket.members.size());
    pass_.bytes_ += bucket.bytes;
    context_.certificate().merged.push_back(std::move(entry));
  }
}

Changed Coalescer::run() {
  IssueRecord record(graph_);
  collect();
  // Because a merge may free memory and bring nodes closer, those that were refused are asked
  // again.
  while (round())
    continue;
  rewrite();
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
