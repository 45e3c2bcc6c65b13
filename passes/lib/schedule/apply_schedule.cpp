// apply-schedule: applies the buckets and the order of a schedule
//
//   may we      every name is a node of the graph, and every member of a bucket is a candidate (rewrite/candidates.h);
//               the legality checker verifies the rest
//   which       as the schedule states
//   do it       the buckets are created where their members are, and then all nodes are put in the order
#include "ccgraph/passes/apply_schedule.h"

#include "analysis/dependences.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/digest.h"
#include "rewrite/candidates.h"
#include "rewrite/issue_record.h"
#include "rewrite/merge_bucket.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral otherGraph = "make the schedule anew for this graph: ccgraph-opt GRAPH --emit schedule";

Diagnostic finding(const Schedule &schedule, llvm::StringRef rule, std::string message, llvm::StringRef repair) {
  Diagnostic diagnostic = diagnose(rule, std::move(message), repair.str());
  diagnostic.file = schedule.origin;
  return diagnostic;
}

/// Reports mistakes in the text of a pipeline as mistakes of the file that contains it.
llvm::Error inSchedule(const Schedule &schedule, llvm::Error error) {
  std::vector<Diagnostic> found;
  llvm::handleAllErrors(std::move(error), [&](const DiagnosticError &known) { found = known.diagnostics().vec(); });
  for (Diagnostic &diagnostic : found) {
    diagnostic.file = schedule.origin;
    diagnostic.line = diagnostic.column = 0;
    diagnostic.where = "/prepare";
  }
  return makeError(std::move(found));
}

class ApplySchedule final : public Pass {
public:
  explicit ApplySchedule(Schedule schedule)
      : Pass({"apply-schedule", "Merges the buckets of a schedule and puts all nodes in its order.", Phase::Schedule,
              /*tolerance=*/0,
              /*reordersCollectives=*/true,
              /*asTold=*/true}),
        schedule_(std::move(schedule)) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<ApplySchedule>(schedule_); }

private:
  Schedule schedule_;
  Statistic moved_{*this, "moved", "nodes with another position in program order than before"};
  Statistic merged_{*this, "merged", "collectives merged into buckets"};
  Reason bucketed_{*this, RemarkKind::Merged, "bucketed", "merged into the bucket `into`, which has `members` members"};
  friend class Application;
};

/// One run.
class Application {
public:
  Application(ApplySchedule &pass, Graph &graph, PassContext &context)
      : pass_(pass), schedule_(pass.schedule_), graph_(graph), context_(context) {}
  llvm::Expected<Changed> run();

private:
  llvm::Error findBuckets();
  void addBucket(const ScheduleBucket &said, std::array<std::optional<Candidates>, 2> &candidates);
  bool addMember(Bucket &bucket, Candidates &candidates, const std::string &name);
  llvm::Error merge();
  llvm::Error nameMade(const ScheduleBucket &said, llvm::ArrayRef<Node *> made);
  llvm::Error takeNames();
  llvm::Expected<Changed> reorder();
  llvm::Error checkOrder();
  void refuse(llvm::StringRef rule, std::string message, llvm::StringRef repair) {
    errors_.add(finding(schedule_, rule, std::move(message), repair));
  }
  llvm::Error result() { return errors_.hasErrors() ? makeError(errors_.take()) : llvm::Error::success(); }

  ApplySchedule &pass_;
  const Schedule &schedule_;
  Graph &graph_;
  PassContext &context_;
  Diagnostics errors_;
  std::vector<Bucket> buckets_;
  /// launches that are already in a bucket
  llvm::DenseSet<const Node *> taken_;
  std::vector<std::pair<Node *, llvm::StringRef>> names_;
};

bool Application::addMember(Bucket &bucket, Candidates &candidates, const std::string &name) {
  Node *launch = graph_.find(name);
  if (!launch || !collectiveOf(*launch)) {
    refuse("schedule.node", "'" + name + "' is a member of a bucket, but the graph has no such collective", otherGraph);
    return false;
  }
  std::variant<Candidate, Obstacle> found = candidates.find(launch);
  const Candidate *candidate = std::get_if<Candidate>(&found);
  if (!candidate) {
    refuse("schedule.bucket", "'" + name + "' cannot be in a bucket",
           "run --pipeline coalesce-collectives --remarks for the reason, with --bitwise or --ranks-differ if you gave "
           "them");
    return false;
  }
  if (!taken_.insert(launch).second) {
    refuse("schedule.bucket", "'" + name + "' is a member of two buckets, expected one", "name it once");
    return false;
  }
  if (!bucket.members.empty() && bucket.members.front().key != candidate->key) {
    refuse("schedule.bucket",
           "'" + name + "' and '" + bucket.members.front().launch->name().str().str() + "' cannot share a bucket",
           "members have one kind, group, reduction, dtype and device");
    return false;
  }
  bucket.members.push_back(*candidate);
  return true;
}

void Application::addBucket(const ScheduleBucket &said, std::array<std::optional<Candidates>, 2> &candidates) {
  Bucket bucket;
  for (const std::string &name : said.members)
    if (!addMember(bucket, *candidates[static_cast<size_t>(said.layout)], name))
      return;
  if (bucket.members.size() < 2)
    return refuse("schedule.bucket",
                  "a bucket of " + std::to_string(bucket.members.size()) + " members, expected two or more",
                  "leave it out");
  buckets_.push_back(std::move(bucket));
}

llvm::Error Application::findBuckets() {
  CommGroups groups(graph_, context_.spmd());
  Dependences dependences(context_.analyses().facts(), groups);
  std::array<std::optional<Candidates>, 2> candidates;
  for (BucketLayout layout : {BucketLayout::Grouped, BucketLayout::Flat})
    candidates[static_cast<size_t>(layout)].emplace(
        graph_, context_.analyses().facts(), groups, dependences,
        CandidateRules{layout, std::nullopt, context_.spmd(), context_.bitwise()});
  for (const ScheduleBucket &said : schedule_.buckets)
    addBucket(said, candidates);
  return result();
}

/// Gives the new nodes their names from the schedule, once all buckets are created.
llvm::Error Application::nameMade(const ScheduleBucket &said, llvm::ArrayRef<Node *> made) {
  if (made.size() != said.makes.size()) {
    refuse("schedule.bucket",
           "the bucket of '" + said.members.front() + "' makes " + std::to_string(made.size()) + " nodes, but " +
               std::to_string(said.makes.size()) + " are named",
           otherGraph);
    return result();
  }
  for (size_t i = 0; i < made.size(); ++i)
    names_.emplace_back(made[i], said.makes[i]);
  return llvm::Error::success();
}

llvm::Error Application::merge() {
  for (size_t i = 0; i < buckets_.size(); ++i) {
    const Bucket &bucket = buckets_[i];
    const ScheduleBucket &said = schedule_.buckets[i];
    uint32_t first = graph_.idLimit();
    mergeBucket(graph_, bucket, {context_, said.layout, pass_.bucketed_});
    pass_.merged_ += static_cast<int64_t>(bucket.members.size());
    std::vector<Node *> made;
    for (uint32_t id = first; id < graph_.idLimit(); ++id)
      made.push_back(graph_.byId(id));
    if (llvm::Error error = nameMade(said, made))
      return error;
  }
  return takeNames();
}

// Renames in two steps, because the new name of one node may be the present name of another.
llvm::Error Application::takeNames() {
  llvm::erase_if(names_, [](const auto &entry) { return entry.first->name().str() == entry.second; });
  for (size_t i = 0; i < names_.size(); ++i) {
    std::string free;
    for (size_t suffix = i; free.empty() || graph_.find(free); suffix += names_.size())
      free = "made_" + std::to_string(suffix);
    graph_.rename(names_[i].first, free);
  }
  for (auto [node, name] : names_)
    if (graph_.find(name))
      refuse("schedule.bucket", "a bucket makes '" + name.str() + "', but another node has that name", otherGraph);
    else
      graph_.rename(node, name);
  return result();
}

llvm::Error Application::checkOrder() {
  for (Node *node : graph_)
    for (const Use &use : node->operandUses())
      if (!use.def()->isBefore(node))
        refuse("schedule.order",
               "'" + node->name().str().str() + "' is before '" + use.def()->name().str().str() + "', which it " +
                   (use.isOrdering() ? "must follow" : "reads"),
               "place each node after the nodes that it reads");
  return result();
}

llvm::Expected<Changed> Application::reorder() {
  std::vector<Node *> order;
  llvm::DenseSet<const Node *> named;
  for (const std::string &name : schedule_.order)
    if (Node *node = graph_.find(name)) {
      order.push_back(node);
      named.insert(node);
    } else
      refuse("schedule.node", "the order names '" + name + "', which is no node of the graph", otherGraph);
  std::vector<Node *> present = graph_.nodes();
  for (const Node *node : present)
    if (!named.contains(node))
      refuse("schedule.node", "node '" + node->name().str().str() + "' has no place in the order", otherGraph);
  if (llvm::Error error = result())
    return error;
  for (size_t i = 0; i < order.size(); ++i)
    pass_.moved_ += order[i] == present[i] ? 0 : 1;
  if (order == present)
    return Changed::No;
  graph_.reorder(order);
  if (llvm::Error error = checkOrder())
    return error;
  return Changed::Yes;
}

llvm::Expected<Changed> Application::run() {
  if (llvm::Error error = findBuckets())
    return error;
  IssueRecord record(graph_);
  if (llvm::Error error = merge())
    return error;
  llvm::Expected<Changed> moved = reorder();
  if (!moved)
    return moved.takeError();
  if (*moved == Changed::No && buckets_.empty())
    return Changed::No;
  record.stateMoves(graph_, context_.certificate());
  return Changed::Yes;
}

llvm::Expected<Changed> ApplySchedule::run(Graph &graph, PassContext &context) {
  return Application(*this, graph, context).run();
}

} // namespace

llvm::Error checkSchedule(const Schedule &schedule, const Graph &graph) {
  std::string digest = digestOf(graph).str();
  if (digest == schedule.digest)
    return llvm::Error::success();
  return makeError(
      finding(schedule, "schedule.digest",
              "a schedule for the graph with digest " + schedule.digest + ", but this graph has " + digest,
              "give the graph that it was made for (with its --groups), choose another one with --graph, or make the "
              "schedule anew: --emit schedule"));
}

llvm::Expected<Pipeline> pipelineOf(const Schedule &schedule) {
  llvm::Expected<Pipeline> pipeline =
      schedule.prepare.empty() ? Pipeline() : Pipeline::parse(llvm::join(schedule.prepare, ","));
  if (!pipeline)
    return inSchedule(schedule, pipeline.takeError());
  for (const std::unique_ptr<Pass> &pass : pipeline->passes())
    if (pass->phase() == Phase::Schedule)
      return makeError(finding(schedule, "schedule.prepare",
                               "pass '" + pass->str() + "' moves nodes, so it cannot prepare a graph",
                               "express its effect by the order"));
  pipeline->append(std::make_unique<ApplySchedule>(schedule));
  return pipeline;
}

} // namespace ccgraph
