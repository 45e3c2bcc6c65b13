#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/digest.h"
#include "ccgraph/passes/apply_schedule.h"

namespace ccgraph {
namespace {

/// Returns the nodes that were created for a bucket, in order of creation.
std::vector<Node *> madeFor(const MergedEntry &entry) {
  std::vector<Node *> made = entry.scaffold;
  made.push_back(entry.launch);
  llvm::append_range(made, entry.waits);
  for (const BucketMember &member : entry.members)
    made.push_back(member.replacement);
  llvm::sort(made, [](const Node *a, const Node *b) { return a->id() < b->id(); });
  made.erase(std::unique(made.begin(), made.end()), made.end());
  return made;
}

} // namespace

ScheduleRecorder::ScheduleRecorder(const Graph &input) { schedule_.digest = digestOf(input).str(); }

void ScheduleRecorder::noteBucket(const Pass &pass, const MergedEntry &entry) {
  ScheduleBucket bucket;
  bucket.layout = entry.layout;
  for (const BucketMember &member : entry.members) {
    bucket.members.push_back(member.launch->name().str().str());
    if (made_.contains(bucket.members.back()) && obstacle_.empty())
      obstacle_ = "pass '" + pass.str() + "' merged '" + bucket.members.back() + "', which is a bucket already";
  }
  for (const Node *node : madeFor(entry)) {
    bucket.makes.push_back(node->name().str().str());
    made_.insert(bucket.makes.back());
  }
  schedule_.buckets.push_back(std::move(bucket));
}

void ScheduleRecorder::note(const Pass &pass, const Certificate &certificate) {
  if (pass.phase() != Phase::Schedule) {
    if (!ordered_.empty() && obstacle_.empty())
      obstacle_ = "pass '" + pass.str() + "' rewrote the graph after pass '" + ordered_ + "' had put it in order";
    schedule_.prepare.push_back(pass.repetition());
    return;
  }
  if (ordered_.empty())
    ordered_ = pass.str();
  for (const MergedEntry &entry : certificate.merged)
    noteBucket(pass, entry);
}

llvm::Expected<Schedule> ScheduleRecorder::take(const Graph &after, std::optional<int64_t> memoryBudget) {
  if (!obstacle_.empty()) {
    return makeError(diagnose(
        "schedule.pipeline", obstacle_ + ": a schedule file cannot express this",
        "write the graph itself (--emit json), or order the pipeline as -O2 does: what removes and rewrites, then "
        "what merges and moves"));
  }
  schedule_.memoryBudget = memoryBudget;
  schedule_.order.reserve(after.size());
  for (const Node *node : after)
    schedule_.order.push_back(node->name().str().str());
  return std::move(schedule_);
}

} // namespace ccgraph
