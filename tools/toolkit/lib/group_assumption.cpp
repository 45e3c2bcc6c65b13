#include "ccgraph/toolkit/group_assumption.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/ir/verifier.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <numeric>

namespace ccgraph {
namespace {

/// A group that collectives name, and its size where one of them states it.
struct NamedGroup {
  std::string name;
  size_t size = 0;
};

/// What a call says of how many members its group has: a number, or by the splits of an all_to_all, one a member; 0 where
/// it says nothing.
size_t statedSize(const Node &node, const CollectiveCall &call) {
  if (call.groupSize.value_or(0) > 0)
    return static_cast<size_t>(*call.groupSize);
  const Argument *splits = argumentAt(node, call.spec->inputSplits);
  return splits ? splits->elements().size() : 0;
}

void collectGroups(const Graph &graph, llvm::StringMap<size_t> &index, std::vector<NamedGroup> &groups) {
  for (const Node *node : graph) {
    std::optional<CollectiveCall> call = collectiveCall(*node);
    if (!call || call->group.empty())
      continue;
    auto [place, isNew] = index.try_emplace(call->group, groups.size());
    if (isNew)
      groups.push_back({call->group.str(), 0});
    NamedGroup &found = groups[place->second];
    if (found.size == 0)
      found.size = statedSize(*node, *call);
  }
  for (const auto &[name, subgraph] : graph.subgraphs())
    collectGroups(*subgraph, index, groups);
}

/// In the order in which the program first names them.
std::vector<NamedGroup> collectGroups(const Graph &graph) {
  llvm::StringMap<size_t> index;
  std::vector<NamedGroup> groups;
  collectGroups(graph, index, groups);
  return groups;
}

} // namespace

// A dump names its groups and says at most how large they are. all_gather(x, 4, "tp") says 4, and so does an all_to_all of
// four splits; so "tp" is taken to be ranks 0 to 3; all_reduce(x, "sum", "dp") says nothing, so "dp" is taken to be as many ranks as the caller names. Such
// groups are marked, since they prove nothing: two that were taken to have the same ranks need not be one.
void assumeGroups(Graph &graph, size_t ranks) {
  std::vector<NamedGroup> named = collectGroups(graph);
  for (const NamedGroup &known : named) {
    size_t size = known.size ? known.size : ranks;
    if (size == 0 || size > mostRanks || graph.groups().find(known.name))
      continue;
    Group group;
    group.name = known.name;
    group.ranks.resize(size);
    std::iota(group.ranks.begin(), group.ranks.end(), int64_t{0});
    group.assumed = true;
    graph.groups().set(std::move(group));
  }
}

// Groups of one size are named together: "groups 0, 1 taken as ranks 0 to 3; group 2 taken as ranks 0 to 7, since no
// file says".
std::string assumedGroupsText(const GroupTable &groups) {
  constexpr size_t mostNames = 6;
  llvm::MapVector<size_t, std::vector<std::string>> bySize;
  for (const Group &group : groups.groups())
    if (group.assumed)
      bySize[group.ranks.size()].push_back(visibleText(group.name));
  std::string text;
  for (auto &[size, names] : bySize) {
    text += (text.empty() ? "" : "; ") + std::string(names.size() == 1 ? "group " : "groups ");
    bool all = names.size() <= mostNames;
    text += llvm::join(llvm::ArrayRef(names).take_front(mostNames), ", ") + (all ? "" : ", ...") + " taken as ";
    text += size == 1 ? "rank 0" : "ranks 0 to " + std::to_string(size - 1);
  }
  return text.empty() ? "" : text + ", since no file says";
}

namespace {

/// What was assumed, and the lines that write the file which says it.
void sayHowToTell(Diagnostic &finding, const std::string &assumed) {
  finding.notes.push_back(assumed + ": --groups FILE says which ranks they are, or run another number of ranks");
  finding.notes.push_back("these lines in the job write FILE:");
  finding.notes.push_back("from torch.distributed.distributed_c10d import _world, get_process_group_ranks as ranks");
  finding.notes.push_back("groups = {name: {\"ranks\": ranks(group)} for group, name in _world.pg_names.items()}");
  finding.notes.push_back("import json; json.dump({\"groups\": groups}, open(\"groups.json\", \"w\"))");
}

} // namespace

llvm::Error checkWellFormed(const Graph &graph) {
  std::vector<Diagnostic> findings = verify(graph, {.warnings = false});
  std::string assumed = assumedGroupsText(graph.groups());
  auto isOfGroups = [](const Diagnostic &finding) { return llvm::StringRef(finding.rule).startswith("types."); };
  // Said once: what contradicts one call contradicts many.
  if (auto first = llvm::find_if(findings, isOfGroups); !assumed.empty() && first != findings.end())
    sayHowToTell(*first, assumed);
  return findings.empty() ? llvm::Error::success() : makeError(std::move(findings));
}

std::vector<std::string> unknownGroups(const Graph &graph) {
  std::vector<NamedGroup> named = collectGroups(graph);
  std::vector<std::string> names;
  for (const NamedGroup &group : named)
    if (!graph.groups().find(group.name))
      names.push_back(visibleText(group.name));
  return names;
}

// A collective that states its group's size says that there are at least as many ranks, so the largest is the best
// guess.
size_t statedRanks(const Graph &graph) {
  if (graph.worldSize)
    return static_cast<size_t>(*graph.worldSize);
  std::vector<NamedGroup> named = collectGroups(graph);
  size_t largest = 0;
  for (const NamedGroup &group : named)
    largest = std::max(largest, group.size);
  return largest;
}

} // namespace ccgraph
