// schedule-overlap: reorders computation and collectives to minimize the predicted step time
//
//   before   g1 = gather(p1); w1 = wait(g1); a = mm(x, w1); g2 = gather(p2); w2 = wait(g2); b = mm(a, w2)
//   after    g1 = gather(p1); g2 = gather(p2); w1 = wait(g1); a = mm(x, w1); w2 = wait(g2); b = mm(a, w2)
//
// Order and buckets are chosen together: merging saves latency but makes the first member wait for the last, so one
// time model evaluates both. All nodes may move: launches as early as memory permits, waits to the time at which the
// collective completes, and computation without urgent readers (the gradient of a weight) into later stalls.
//   may we      overlap/graph_problem.h: the order that every schedule must keep; rewrite/candidates.h: the collectives
//               that can be merged
//   which       overlap/search.h: the fastest of several trial schedules
//   do it       nodes are put in the order found, and the launches of a bucket, which are then adjacent, become one
//               (rewrite/merge_bucket.h)
// If no order is faster within the budget, the graph is left unchanged.
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/registry.h"
#include "rewrite/issue_record.h"
#include "rewrite/merge_bucket.h"
#include "schedule/overlap/merging.h"
#include "schedule/overlap/replay.h"
#include "schedule/pass_search.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

namespace ccgraph {

namespace {

/// Whether launches may be merged.
enum class Merging : uint8_t { Grouped, None };

class ScheduleOverlap final : public Pass {
public:
  ScheduleOverlap()
      : Pass({"schedule-overlap",
              "Chooses the order of all nodes, and buckets of collectives, with the least predicted step time within "
              "the memory budget.",
              Phase::Schedule,
              /*tolerance=*/0,
              /*reordersCollectives=*/true}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<ScheduleOverlap>(); }

private:
  ChoiceOption<Merging> buckets_{
      *this,
      "buckets",
      Merging::Grouped,
      {{"grouped", Merging::Grouped}, {"none", Merging::None}},
      "grouped: merged collectives become one operator on a list of tensors; none: no collectives are merged"};
  Option<Count> walks_{*this, "walks", Count{usualWalks}, "largest number of trial schedules"};
  Option<Count> beam_{
      *this, "beam", Count{usualBeam},
      "width of the beam search over all orders, for graphs of at most 64 nodes; at most 512; 0: no beam search"};
  Statistic moved_{*this, "moved", "nodes with another position in program order than before"};
  Statistic made_{*this, "buckets", "buckets created"};
  Statistic merged_{*this, "merged", "collectives merged into buckets"};
  Statistic before_{*this, "before-ns", "predicted step before, in nanoseconds"};
  Statistic after_{*this, "after-ns", "predicted step after, in nanoseconds"};
  Statistic exposedBefore_{*this, "exposed-before-ns", "predicted exposed communication before, in nanoseconds"};
  Statistic exposedAfter_{*this, "exposed-after-ns", "predicted exposed communication after, in nanoseconds"};
  Reason hidden_{*this, RemarkKind::Moved, "hidden",
                 "the collective is exposed for `after-ns` nanoseconds, before for `before-ns`"};
  Reason kept_{*this, RemarkKind::Kept, "kept", "the collective is exposed for as long as before"};
  Reason later_{*this, RemarkKind::Moved, "traded",
                "the collective is exposed for longer than before, and others for less"};
  Reason bucketed_{*this, RemarkKind::Merged, "bucketed",
                   "merged into the bucket `into`, which has `members` members; a flat buffer would cost `copies-ns` "
                   "nanoseconds more for packing and unpacking"};
  Reason smaller_{*this, RemarkKind::Moved, "smaller", "peak memory is `after` bytes, before it was `before`"};
  Reason overBudget_{*this, RemarkKind::Missed, "over-budget",
                     "every order that was found exceeds the memory budget: this order needs `peak` bytes"};
  friend class Scheduler;
};

/// One run.
class Scheduler {
public:
  Scheduler(ScheduleOverlap &pass, Graph &graph, PassContext &context)
      : pass_(pass), graph_(graph), context_(context), groups_(graph, context.spmd()),
        dependences_(context.analyses().facts(), groups_), options_{context.analyses().facts(), groups_, dependences_,
                                                                    context.cost(), context.spmd()},
        given_(overlap::problemOf(graph, options_)) {}
  Changed run();

private:
  [[nodiscard]] std::vector<std::vector<uint32_t>> bucketsFor(llvm::ArrayRef<std::string> members,
                                                              const llvm::StringMap<uint32_t> &stepOf,
                                                              std::vector<bool> &taken) const;
  [[nodiscard]] overlap::Preferences preferencesOf(const KnownOrder &known) const;
  [[nodiscard]] overlap::Schedule search() const;
  void apply(const overlap::Schedule &schedule);
  void reorder(llvm::ArrayRef<uint32_t> order);
  void merge(llvm::ArrayRef<uint32_t> launches);
  [[nodiscard]] int64_t copiesIfFlat(const Bucket &bucket) const;
  void remark(const overlap::Replay &before, const overlap::Schedule &schedule);
  void remarkMemory(int64_t before, const overlap::Schedule &schedule);
  [[nodiscard]] bool exceedsWhatFits(const overlap::Schedule &schedule) const;

  ScheduleOverlap &pass_;
  Graph &graph_;
  PassContext &context_;
  CommGroups groups_;
  Dependences dependences_;
  overlap::GraphProblemOptions options_;
  overlap::GraphProblem given_;
  /// by step: only steps that may be merged
  llvm::DenseMap<uint32_t, Candidate> candidates_;
};

void Scheduler::reorder(llvm::ArrayRef<uint32_t> order) {
  Node *place = graph_.front();
  for (uint32_t step : order) {
    Node *node = given_.nodes[step];
    if (node == place) {
      place = place->next();
      continue;
    }
    graph_.moveBefore(node, place);
    ++pass_.moved_;
  }
}

// Returns the picoseconds of the copies that the other layout would need. The collective itself takes the same time in
// either layout. In a flat bucket the inputs are packed into the buffer. A gathered result lies in it rank by rank and
// is copied out again; other results are views of the buffer.
int64_t Scheduler::copiesIfFlat(const Bucket &bucket) const {
  constexpr int64_t readAndWritten = 2;
  bool unpacked = collectiveOf(*bucket.members.front().launch)->kind == CollectiveKind::AllGather;
  int64_t packing = context_.cost().copy(readAndWritten * bucket.inputBytes());
  return packing + (unpacked ? context_.cost().copy(readAndWritten * bucket.outputBytes()) : 0);
}

void Scheduler::merge(llvm::ArrayRef<uint32_t> launches) {
  Bucket bucket;
  for (uint32_t step : launches) {
    bucket.members.push_back(candidates_.lookup(step));
    bucket.bytes += bucket.members.back().bytes();
  }
  int64_t copies = copiesIfFlat(bucket) / picosecondsOfNs;
  mergeBucket(graph_, bucket,
              {context_, BucketLayout::Grouped, pass_.bucketed_, {{"copies-ns", std::to_string(copies)}}});
  ++pass_.made_;
  pass_.merged_ += static_cast<int64_t>(bucket.members.size());
}

void Scheduler::apply(const overlap::Schedule &schedule) {
  IssueRecord record(graph_);
  reorder(schedule.order);
  for (const std::vector<uint32_t> &bucket : schedule.buckets)
    merge(bucket);
  record.stateMoves(graph_, context_.certificate());
}

void Scheduler::remark(const overlap::Replay &before, const overlap::Schedule &schedule) {
  overlap::Replay after = overlap::replay(given_.problem, schedule);
  pass_.before_ += before.total / picosecondsOfNs;
  pass_.after_ += after.total / picosecondsOfNs;
  pass_.exposedBefore_ += before.exposed / picosecondsOfNs;
  pass_.exposedAfter_ += after.exposed / picosecondsOfNs;
  for (uint32_t step = 0; step < given_.nodes.size(); ++step) {
    if (given_.problem.steps[step].kind != overlap::StepKind::Launch)
      continue;
    int64_t then = before.exposedBy[step] / picosecondsOfNs, now = after.exposedBy[step] / picosecondsOfNs;
    const Reason &reason = now < then ? pass_.hidden_ : now > then ? pass_.later_ : pass_.kept_;
    context_.remark(reason, *given_.nodes[step],
                    {{"before-ns", std::to_string(then)}, {"after-ns", std::to_string(now)}});
  }
}

/// Reported once, at the last node, since the remark is about the whole graph.
void Scheduler::remarkMemory(int64_t before, const overlap::Schedule &schedule) {
  std::optional<int64_t> budget = context_.memoryBudget();
  // Within the budget, lower memory is a side effect and not the goal.
  if (budget && before > *budget && schedule.peakBytes < before)
    context_.remark(pass_.smaller_, *graph_.back(),
                    {{"before", std::to_string(before)}, {"after", std::to_string(schedule.peakBytes)}});
  if (budget && schedule.peakBytes > *budget)
    context_.remark(pass_.overBudget_, *graph_.back(), {{"peak", std::to_string(schedule.peakBytes)}});
}

using StepsByName = llvm::StringMap<uint32_t>;

/// Passes before this one may have removed nodes that the order names.
std::vector<uint32_t> placesIn(llvm::ArrayRef<std::string> order, const StepsByName &stepOf) {
  std::vector<uint32_t> places(stepOf.size(), overlap::none);
  uint32_t place = 0;
  for (const std::string &name : order)
    if (auto step = stepOf.find(name); step != stepOf.end() && places[step->second] == overlap::none)
      places[step->second] = ++place;
  return places;
}

/// Divides a bucket of a known order into buckets that may be made, of launches that are not in `taken`.
std::vector<std::vector<uint32_t>> Scheduler::bucketsFor(llvm::ArrayRef<std::string> members, const StepsByName &stepOf,
                                                         std::vector<bool> &taken) const {
  llvm::MapVector<uint32_t, std::vector<uint32_t>> byKey;
  for (const std::string &name : members) {
    auto step = stepOf.find(name);
    if (step == stepOf.end() || taken[step->second])
      continue;
    uint32_t key = given_.problem.steps[step->second].mergeKey;
    if (key == overlap::none || byKey[key].size() == overlap::mostMembers)
      continue;
    taken[step->second] = true;
    byKey[key].push_back(step->second);
  }
  std::vector<std::vector<uint32_t>> buckets;
  for (auto &[key, launches] : byKey)
    buckets.push_back(std::move(launches));
  return buckets;
}

overlap::Preferences Scheduler::preferencesOf(const KnownOrder &known) const {
  StepsByName stepOf;
  for (uint32_t step = 0; step < given_.nodes.size(); ++step)
    stepOf[given_.nodes[step]->name().str()] = step;
  overlap::Preferences preferred{placesIn(known.order, stepOf), {}};
  std::vector<bool> taken(given_.nodes.size());
  for (const std::vector<std::string> &members : known.buckets)
    llvm::append_range(preferred.buckets, bucketsFor(members, stepOf, taken));
  return preferred;
}

overlap::Schedule Scheduler::search() const {
  std::vector<overlap::Preferences> known;
  for (const KnownOrder &order : context_.knownOrders())
    known.push_back(preferencesOf(order));
  overlap::SearchOptions options = searchOptionsOf(context_, pass_.walks_.get(), pass_.beam_.get());
  options.known = known;
  // Without earlier searches, the record would only cost time.
  SearchRecord &record = context_.analyses().searches();
  return record.empty() ? searchThoroughly(given_.problem, options)
                        : searchRecorded(record, given_, options, Effort::Thorough);
}

/// Returns true if the schedule may exceed the budget, and the graph in its present order does not: the memory of some
/// graphs is counted by an upper bound (problemOf()).
bool Scheduler::exceedsWhatFits(const overlap::Schedule &schedule) const {
  std::optional<int64_t> budget = context_.memoryBudget();
  return budget && schedule.peakBytes > *budget && peakMemory(graph_, context_.analyses().storages()).bytes <= *budget;
}

Changed Scheduler::run() {
  if (pass_.buckets_.get() == Merging::Grouped)
    candidates_ = overlap::allowMerging(given_, graph_, options_, context_.bitwise());
  overlap::Schedule schedule = search();
  if (exceedsWhatFits(schedule)) {
    context_.remark(pass_.overBudget_, *graph_.back(), {{"peak", std::to_string(schedule.peakBytes)}});
    return Changed::No;
  }
  overlap::Replay before = overlap::replay(given_.problem, overlap::asItStands(given_.problem));
  remark(before, schedule);
  remarkMemory(before.peakBytes, schedule);
  if (schedule.order == overlap::asItStands(given_.problem).order && schedule.buckets.empty())
    return Changed::No;
  apply(schedule);
  return Changed::Yes;
}

llvm::Expected<Changed> ScheduleOverlap::run(Graph &graph, PassContext &context) {
  if (!graph.front())
    return Changed::No;
  return Scheduler(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createScheduleOverlap() { return std::make_unique<ScheduleOverlap>(); }

} // namespace ccgraph
