#include "ccgraph/toolkit/job_rewrite.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/jobs/check.h"
#include "ccgraph/toolkit/pass_options.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace ccgraph {
namespace {

/// Returns the collective or transfer that the node launches; null if there is none.
const CollectiveSpec *launchOf(const Node &node) {
  const Node *call = wrappedCall(node);
  return call ? collectiveOf(*call) : nullptr;
}

/// Numbers the groups of a graph. Names that may mean one group have one number, because a group is its set of ranks.
class GroupNumbers {
public:
  explicit GroupNumbers(const Graph &graph) {
    for (const Node *node : graph)
      if (launchOf(*node))
        add(graph, groupIdOf(*node));
  }

  /// Returns nothing for a group that the graph does not use.
  [[nodiscard]] std::optional<size_t> of(const GroupId &id) const {
    auto known = llvm::find(ids_, id);
    return known == ids_.end() ? std::nullopt : std::optional(numbers_[static_cast<size_t>(known - ids_.begin())]);
  }

private:
  void add(const Graph &graph, const GroupId &id) {
    if (llvm::is_contained(ids_, id))
      return;
    size_t number = ids_.size();
    for (size_t i = 0; i != ids_.size(); ++i)
      if (mayBeOneGroup(graph.groups(), ids_[i], id))
        std::replace(numbers_.begin(), numbers_.end(), size_t(numbers_[i]), number);
    ids_.push_back(id);
    numbers_.push_back(number);
  }

  std::vector<GroupId> ids_;
  std::vector<size_t> numbers_;
};

/// By number of the group and whether they are transfers: the launches in their order.
using Sequences = std::map<std::pair<std::optional<size_t>, bool>, std::vector<std::string>>;

Sequences sequencesOf(const Graph &graph, const GroupNumbers &numbers) {
  Sequences sequences;
  for (const Node *node : graph)
    if (const CollectiveSpec *spec = launchOf(*node))
      sequences[{numbers.of(groupIdOf(*node)), isPointToPoint(spec->kind)}].push_back(node->name().str().str());
  return sequences;
}

bool areEqual(llvm::ArrayRef<NamedArgument> a, llvm::ArrayRef<NamedArgument> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const NamedArgument &x, const NamedArgument &y) {
    return x.name == y.name && sameArgument(x.value, y.value);
  });
}

/// Returns whether two nodes are one call of the same nodes by name.
bool isSameCall(const Node &a, const Node &b) {
  auto nameOf = [](const Node *node) { return node->name(); };
  auto areSame = [](const Argument &x, const Argument &y) { return sameArgument(x, y); };
  return a.opcode() == b.opcode() && a.target() == b.target() && a.type() == b.type() &&
         llvm::equal(llvm::map_range(a.dataOperands(), nameOf), llvm::map_range(b.dataOperands(), nameOf)) &&
         std::equal(a.args().begin(), a.args().end(), b.args().begin(), b.args().end(), areSame) &&
         areEqual(a.kwargs(), b.kwargs());
}

/// Returns whether the rewritten graph has the same calls, in any order.
bool hasSameCalls(const Graph &before, const Graph &after) {
  return before.size() == after.size() && llvm::all_of(before, [&](const Node *node) {
           const Node *kept = after.find(node->name());
           return kept && isSameCall(*node, *kept);
         });
}

/// Returns whether the launches of each group are in the same order.
bool launchAlike(const Graph &before, const Graph &after) {
  GroupNumbers numbers(before);
  return sequencesOf(before, numbers) == sequencesOf(after, numbers);
}

/// Rewrites the graphs of a job one after the other, and adds each to the job before and after.
class JobRewriter final : public JobGraphVisitor {
public:
  JobRewriter(const JobRewriteRequest &request, bool keepsOrder, const JobGraphReceiver *receive)
      : request_(request), receive_(receive),
        manager_(passOptions({request.chosen, request.machine, nullptr, objects_,
                              keepsOrder ? "each rank has a graph of its own" : ""})) {}

  llvm::Error run(Diagnostics &warnings) {
    size_t stated = ranksOf(request_.job.graphs);
    std::vector<JobGraphRequest> requests;
    for (const JobGraph &graph : request_.job.graphs)
      requests.push_back({&graph, stated ? stated : request_.ranks});
    JobGraphStream stream(std::move(requests));
    for (const JobGraph &graph : request_.job.graphs) {
      llvm::Expected<std::unique_ptr<LoadedJobGraph>> loaded = stream.next(warnings);
      if (!loaded)
        return loaded.takeError();
      from_ = &graph;
      if (llvm::Error error = (*loaded)->visit(*this))
        return error;
    }
    return llvm::Error::success();
  }

  llvm::Error visit(const Graph &graph, const StorageMap &storages, llvm::ArrayRef<int64_t> ranks) override {
    if (llvm::Error error = before.add(graph, ranks, &storages))
      return error;
    std::unique_ptr<Graph> rewritten = graph.clone();
    llvm::Expected<PipelineRun> run = runPipeline(*rewritten, request_.pipeline, manager_);
    if (!run)
      return run.takeError();
    changed += run->changed();
    if (otherCalls.empty() && !hasSameCalls(graph, *rewritten))
      otherCalls = jobs::spansText(ranks);
    else if (otherOrder.empty() && !launchAlike(graph, *rewritten))
      otherOrder = jobs::spansText(ranks);
    if (llvm::Error error = after.add(*rewritten, ranks))
      return error;
    return receive_ ? (*receive_)(*from_, *rewritten) : llvm::Error::success();
  }
  llvm::Error visit(const Plan & /*plan*/, llvm::ArrayRef<int64_t> /*ranks*/) override {
    return makeError(diagnose("job.input", "got a plan, expected a graph: the order of a plan is fixed",
                              "rewrite the graph, and lower it afterwards"));
  }

  jobs::Job before, after;
  size_t changed = 0;
  /// the first ranks whose graph has other calls, or whose launches on some group are in another order
  std::string otherCalls, otherOrder;

  /// Returns whether all ranks launch alike by name, before and after: then equal places have equal launches.
  [[nodiscard]] bool isOneProgram() const { return before.numPrograms() == 1 && after.numPrograms() == 1; }

private:
  const JobRewriteRequest &request_;
  const JobGraphReceiver *receive_;
  ObjectMeanings objects_;
  PassManagerOptions manager_;
  const JobGraph *from_ = nullptr;
};

/// Returns the first finding that is no deadlock, in words; empty if there is none.
std::string disagreement(const jobs::CheckResult &result) {
  for (const jobs::Finding &finding : result.findings)
    if (finding.rule != jobs::Rule::Deadlock)
      return jobs::spansText(finding.culprits) + " [" + jobs::ruleName(finding.rule).str() + "]";
  return "";
}

/// Returns where the rewritten job may stand although the job as given comes to its end; empty: nowhere.
std::string lostProgress(const jobs::CheckResult &before, const jobs::CheckResult &after) {
  for (size_t i = 0; i != before.verdicts.size(); ++i)
    if (after.verdicts[i].deadlock && !before.verdicts[i].deadlock) {
      auto isWitness = [&](const jobs::Finding &finding) { return finding.under == after.verdicts[i].under; };
      const auto *witness = llvm::find_if(llvm::ArrayRef(after.findings), isWitness);
      std::string who =
          witness == after.findings.data() + after.findings.size() ? "ranks" : jobs::spansText(witness->culprits);
      return "with the new orders, " + who + " would wait for each other under " +
             jobs::semanticsName(after.verdicts[i].under).str();
    }
  if (before.resident.needed && after.resident.needed.value_or(0) > *before.resident.needed)
    return "the new orders need " + std::to_string(*after.resident.needed) +
           " resident communicators of a rank, and the job as given needs " + std::to_string(*before.resident.needed);
  return "";
}

/// Returns which condition of the proof fails; empty: the rewritten job is proved.
std::string reasonOf(const JobRewriter &rewriter, JobRewrite &result) {
  jobs::CheckResult before = jobs::checkJob(rewriter.before, {.mostTrials = 0});
  if (!before.assumptions.empty())
    return "the job is not given whole: " + before.assumptions.front();
  if (std::string who = disagreement(before); !who.empty())
    return "the job as given has a finding about " + who;
  if (!rewriter.otherCalls.empty())
    return "the passes do more than order calls on " + rewriter.otherCalls;
  if (!rewriter.otherOrder.empty() && !rewriter.isOneProgram())
    return "the passes order the collectives of one group anew on " + rewriter.otherOrder +
           ", and ranks run different graphs";
  jobs::CheckResult after = jobs::checkJob(rewriter.after, {.mostTrials = 0});
  if (std::string who = disagreement(after); !who.empty())
    return "the rewritten job has a finding about " + who;
  if (std::string lost = lostProgress(before, after); !lost.empty())
    return lost;
  for (const jobs::SemanticsVerdict &verdict : after.verdicts)
    if (!verdict.deadlock)
      result.safe.push_back(verdict.under);
  return "";
}

} // namespace

llvm::Expected<JobRewrite> rewriteJob(const JobRewriteRequest &request, const JobGraphReceiver &receive,
                                      Diagnostics &warnings) {
  JobRewrite result;
  {
    JobRewriter tried(request, false, nullptr);
    if (llvm::Error error = tried.run(warnings))
      return error;
    result.ranks = tried.before.numRanks();
    result.reason = reasonOf(tried, result);
  }
  // Passes are deterministic, so the second run makes the graphs that were proved. Warnings were given above.
  Diagnostics repeated;
  JobRewriter kept(request, !result.reason.empty(), &receive);
  if (llvm::Error error = kept.run(repeated))
    return error;
  result.changed = kept.changed;
  result.graphs = request.job.graphs.size();
  return result;
}

} // namespace ccgraph
