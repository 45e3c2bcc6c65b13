#include "ccgraph/toolkit/job_rewrite.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/jobs/check.h"
#include "ccgraph/toolkit/pass_options.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

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

  /// Returns one of the names of the group.
  [[nodiscard]] const GroupId &idOf(size_t number) const {
    return ids_[static_cast<size_t>(llvm::find(numbers_, number) - numbers_.begin())];
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

/// By number of the group: the names of its transfers in their order.
using Transfers = std::map<std::optional<size_t>, std::vector<std::string>>;

Transfers transfersOf(const Graph &graph, const GroupNumbers &numbers) {
  Transfers transfers;
  for (const Node *node : graph)
    if (const CollectiveSpec *spec = launchOf(*node); spec && isPointToPoint(spec->kind))
      transfers[numbers.of(groupIdOf(*node))].push_back(node->name().str().str());
  return transfers;
}

/// The collectives of one group after a rewrite: for each, the places of those from which it was made in the order of
/// the group before.
using Parts = std::vector<std::vector<size_t>>;

/// The collectives of a graph as it was read, by name.
class CollectivePlaces {
public:
  CollectivePlaces(const Graph &graph, const GroupNumbers &numbers) : numbers_(numbers) {
    for (const Node *node : graph)
      if (const CollectiveSpec *spec = launchOf(*node); spec && !isPointToPoint(spec->kind)) {
        std::optional<size_t> group = numbers_.of(groupIdOf(*node));
        places_[node->name()] = {group, counts_[group]++};
      }
  }

  /// Returns the parts by number of the group. Returns nothing if it is not known from which collectives of its group
  /// one was made, and if several were made from one: then equal places do not mean equal values.
  [[nodiscard]] std::optional<std::map<size_t, Parts>> partsOf(const Graph &rewritten) const {
    std::map<size_t, Parts> parts;
    std::set<std::pair<size_t, size_t>> seen;
    for (const auto &[group, count] : counts_)
      if (group)
        parts[*group];
    for (const Node *node : rewritten)
      if (const CollectiveSpec *spec = launchOf(*node); spec && !isPointToPoint(spec->kind)) {
        std::optional<size_t> group = numbers_.of(groupIdOf(*node));
        std::optional<std::vector<size_t>> own = group ? partsOf(*node, *group) : std::nullopt;
        if (!own || !llvm::all_of(*own, [&](size_t place) { return seen.insert({*group, place}).second; }))
          return std::nullopt;
        parts[*group].push_back(std::move(*own));
      }
    return parts;
  }

private:
  [[nodiscard]] std::optional<std::vector<size_t>> partsOf(const Node &node, size_t group) const {
    llvm::ArrayRef<Identifier> origins = node.provenance().origins;
    const Identifier own = node.name();
    std::vector<size_t> parts;
    for (Identifier name : origins.empty() ? llvm::ArrayRef(own) : origins) {
      auto place = places_.find(name);
      if (place == places_.end() || place->second.first != group)
        return std::nullopt;
      parts.push_back(place->second.second);
    }
    return parts;
  }

  const GroupNumbers &numbers_;
  std::map<std::optional<size_t>, size_t> counts_;
  /// group and place
  llvm::DenseMap<Identifier, std::pair<std::optional<size_t>, size_t>> places_;
};

/// Compares how the members of each group have changed its collectives.
class GroupChanges {
public:
  /// Adds a graph of `ranks`. Returns why the ranks of some group do not change it alike; empty: they do.
  std::string add(const Graph &before, const Graph &after, llvm::ArrayRef<int64_t> ranks) {
    GroupNumbers numbers(before);
    if (transfersOf(before, numbers) != transfersOf(after, numbers))
      return "the passes change the order of transfers on " + jobs::spansText(ranks);
    std::optional<std::map<size_t, Parts>> parts = CollectivePlaces(before, numbers).partsOf(after);
    if (!parts)
      return "it is not known from which collectives the passes made one on " + jobs::spansText(ranks);
    for (const auto &[number, own] : *parts)
      for (const std::vector<int64_t> &members : cellsOf(before, numbers.idOf(number), ranks))
        if (std::string other = addMembers(members, own, ranks); !other.empty())
          return "the passes change the collectives of the group of " + jobs::spansText(members) + " on " +
                 jobs::spansText(ranks) + " in another way than on " + other;
    return "";
  }

private:
  struct Seen {
    Parts parts;
    std::string ranks;
  };

  /// Returns ranks that have changed the group in another way; empty if there are none.
  std::string addMembers(const std::vector<int64_t> &members, const Parts &parts, llvm::ArrayRef<int64_t> ranks) {
    auto [seen, isNew] = seen_.try_emplace(members, Seen{parts, ""});
    if (isNew)
      seen->second.ranks = jobs::spansText(ranks);
    return seen->second.parts == parts ? "" : seen->second.ranks;
  }

  /// Returns the sets of ranks that the group is for these ranks, each ascending.
  static std::vector<std::vector<int64_t>> cellsOf(const Graph &graph, const GroupId &id,
                                                   llvm::ArrayRef<int64_t> ranks) {
    std::vector<std::vector<int64_t>> cells;
    const Group *group = id.kind == GroupId::Kind::Name ? graph.groups().find(id.text) : nullptr;
    if (!group || group->partition.empty())
      cells.push_back(group ? group->ranks : id.ranks);
    else
      llvm::copy_if(group->partition, std::back_inserter(cells), [&](const std::vector<int64_t> &cell) {
        return llvm::any_of(cell, [&](int64_t rank) { return llvm::is_contained(ranks, rank); });
      });
    for (std::vector<int64_t> &cell : cells)
      llvm::sort(cell);
    return cells;
  }

  std::map<std::vector<int64_t>, Seen> seen_;
};

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
    if (std::string reason = changes_.add(graph, *rewritten, ranks); unequalChange.empty())
      unequalChange = std::move(reason);
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
  /// why the members of some group do not change its collectives alike; empty: they do
  std::string unequalChange;

private:
  const JobRewriteRequest &request_;
  const JobGraphReceiver *receive_;
  ObjectMeanings objects_;
  PassManagerOptions manager_;
  GroupChanges changes_;
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
  if (!rewriter.unequalChange.empty())
    return rewriter.unequalChange;
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
