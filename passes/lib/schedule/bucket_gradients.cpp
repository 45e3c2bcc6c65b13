// bucket-gradients: w1 = wait(all_reduce(g1)); w2 = wait(all_reduce(g2)); ...
//                   ->  w = wait(all_reduce(cat(g1, g2, ...))); w1, w2, ... = copies of the pieces of w
//
// The buckets are those of PyTorch's DistributedDataParallel after its first step (ccgraph/ir/gradient_buckets.h), so a
// graph that reduces each gradient alone can be compared with a DDP job. The program order of the all_reduces is the
// order in which gradients are ready. schedule-overlap chooses buckets by predicted time instead.
//   may we      rewrite/candidates.h: whether it can be in a flat bucket; coalesce/runs.h: whether its launches can be
//               adjacent
//   which       c10d's assignment, for each group, reduction, dtype and device; where a member cannot be brought to its
//               bucket, the bucket ends, and the member begins another
//   do it       rewrite/merge_bucket.h, flat
// The choice reads the program only, so ranks that run the same program make the same buckets in the same order.
#include "ccgraph/ir/gradient_buckets.h"
#include "ccgraph/passes/registry.h"
#include "rewrite/candidate_search.h"
#include "rewrite/issue_record.h"
#include "rewrite/merge_bucket.h"
#include "schedule/coalesce/runs.h"

#include <deque>

namespace ccgraph {

namespace {

class BucketGradients final : public Pass {
public:
  BucketGradients()
      : Pass({"bucket-gradients",
              "Makes one all_reduce on a flat buffer of the all_reduces of gradients, with the buckets of PyTorch's "
              "DistributedDataParallel.",
              Phase::Schedule,
              /*tolerance=*/0,
              /*reordersCollectives=*/true}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<BucketGradients>(); }

private:
  Option<ByteCount> firstBytes_{*this, "first-bytes", ByteCount{int64_t{1} << 20},
                                "a bucket ends when it has as many bytes: the first one of a dtype and device"};
  Option<ByteCount> bytes_{*this, "bytes", ByteCount{int64_t{25} << 20},
                           "a bucket ends when it has as many bytes: all later ones"};
  Option<Count> maxMoves_{*this, "max-moves", Count{4096},
                          "largest number of other nodes that may move to bring one member to its bucket"};
  Statistic merged_{*this, "merged", "gradients in buckets of several"};
  Statistic buckets_{*this, "buckets", "buckets of several gradients"};
  Statistic bytesMerged_{*this, "bytes", "bytes in these buckets"};
  Reason bucketed_{*this, RemarkKind::Merged, "bucketed", "merged into the bucket `into`, which has `members` members"};
  Reason sum_{*this, RemarkKind::Missed, "no-gradient-sum",
              "not an all_reduce that adds or averages one tensor of floating-point numbers"};
  CandidateReasons obstacles_{
      *this,
      CandidateScope::AllReduce,
      {.done = "merged",
       .rounding = "in a bucket the sum of more than two ranks may be computed in another order",
       .otherRank = "form another bucket"}};
  Reason dependent_{*this, RemarkKind::Missed, "dependent",
                    "between it and its bucket is a node that computes or must keep its position and that depends on "
                    "one of the two, or more than max-moves nodes would have to move; it begins another bucket"};
  Reason budget_{*this, RemarkKind::Missed, "over-budget",
                 "in its bucket, the graph would exceed the memory budget; it begins another bucket"};
  Reason single_{*this, RemarkKind::Missed, "single", "its bucket has no other member"};
  friend class GradientBucketer;
};

/// One run.
class GradientBucketer {
public:
  GradientBucketer(BucketGradients &pass, Graph &graph, PassContext &context);
  llvm::Expected<Changed> run();

private:
  [[nodiscard]] const Reason *obstacle(Node *launch, Candidate &candidate);
  void collect();
  llvm::Error assign(llvm::ArrayRef<Candidate> alike);
  void place(const Candidate &candidate, OpenBucket *&open);
  void merge(const Bucket &bucket);

  BucketGradients &pass_;
  Graph &graph_;
  PassContext &context_;
  CandidateSearch search_;
  Runs runs_;
  /// by key: in program order
  std::vector<std::vector<Candidate>> found_;
  std::deque<OpenBucket> buckets_;
};

GradientBucketer::GradientBucketer(BucketGradients &pass, Graph &graph, PassContext &context)
    : pass_(pass), graph_(graph), context_(context), search_(graph, context, pass.obstacles_, {BucketLayout::Flat}),
      runs_(
          {graph, search_.facts(), search_.dependences(), BucketLayout::Flat, orUnlimited(pass.maxMoves_.get().limit)},
          context.memoryBudget()) {}

/// Returns why this collective goes into no bucket; null if it can, and then `candidate` describes it.
const Reason *GradientBucketer::obstacle(Node *launch, Candidate &candidate) {
  bool isGradientSum = isSumOrAverage(*launch) && isFloat(launch->type()->dtype());
  return isGradientSum ? search_.find(launch, candidate) : &pass_.sum_;
}

void GradientBucketer::collect() {
  for (Node *node : graph_) {
    if (!collectiveOf(*node))
      continue;
    Candidate candidate;
    if (const Reason *reason = obstacle(node, candidate)) {
      context_.remark(*reason, *node);
      continue;
    }
    found_.resize(search_.numKeys());
    found_[candidate.key].push_back(candidate);
  }
}

/// Assigns the candidates of one key, which have one dtype and device.
llvm::Error GradientBucketer::assign(llvm::ArrayRef<Candidate> alike) {
  std::vector<BucketTensor> tensors;
  for (const Candidate &candidate : alike) {
    const Type &type = *candidate.launch->type();
    tensors.push_back({type.dtype(), type.device(), static_cast<uint64_t>(*type.numElements())});
  }
  auto limit = [](const Option<ByteCount> &option) { return static_cast<uint64_t>(orUnlimited(option.get().limit)); };
  llvm::Expected<BucketAssignment> assigned = assignBuckets(tensors, {{limit(pass_.firstBytes_), limit(pass_.bytes_)}});
  if (!assigned)
    return assigned.takeError();
  for (const std::vector<size_t> &members : assigned->buckets) {
    OpenBucket *open = nullptr;
    for (size_t member : members)
      place(alike[member], open);
  }
  return llvm::Error::success();
}

/// Adds the candidate to the open bucket; otherwise it opens another one.
void GradientBucketer::place(const Candidate &candidate, OpenBucket *&open) {
  OpenBucket newcomer = OpenBucket::of(candidate);
  if (open) {
    JoinVerdict verdict = runs_.join(*open, newcomer);
    if (verdict == JoinVerdict::Joined)
      return;
    context_.remark(verdict == JoinVerdict::OverBudget ? pass_.budget_ : pass_.dependent_, *candidate.launch);
  }
  open = &buckets_.emplace_back(std::move(newcomer));
}

void GradientBucketer::merge(const Bucket &bucket) {
  if (bucket.members.size() == 1)
    return context_.remark(pass_.single_, *bucket.members.front().launch);
  mergeBucket(graph_, bucket, {context_, BucketLayout::Flat, pass_.bucketed_});
  ++pass_.buckets_;
  pass_.merged_ += static_cast<int64_t>(bucket.members.size());
  pass_.bytesMerged_ += bucket.bytes;
}

llvm::Expected<Changed> GradientBucketer::run() {
  IssueRecord record(graph_);
  collect();
  for (const std::vector<Candidate> &alike : found_)
    if (llvm::Error error = alike.empty() ? llvm::Error::success() : assign(alike))
      return error;
  for (const Bucket &bucket : buckets_)
    merge(bucket);
  if (pass_.buckets_.value() == 0)
    return Changed::No;
  record.stateMoves(graph_, context_.certificate());
  return Changed::Yes;
}

llvm::Expected<Changed> BucketGradients::run(Graph &graph, PassContext &context) {
  return GradientBucketer(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createBucketGradients() { return std::make_unique<BucketGradients>(); }

} // namespace ccgraph
