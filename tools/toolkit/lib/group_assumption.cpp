#include "ccgraph/toolkit/group_assumption.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/group_nesting.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/ir/verifier.h"

#include "mesh_groups.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

namespace ccgraph {
namespace {

/// Returns the only layout of a group that a file or a log describes; empty if its subgroups do not form a regular
/// dimension.
std::optional<GroupLayout> layoutOf(const Group &group) {
  llvm::ArrayRef<int64_t> first = group.partition.empty() ? group.ranks : group.partition.front();
  if (first.empty())
    return std::nullopt;
  GroupLayout layout{static_cast<int64_t>(first.size()), first.size() > 1 ? first[1] - first[0] : 1};
  for (size_t i = 1; i < first.size(); ++i)
    if (layout.stride < 1 || first[i] - first[i - 1] != layout.stride)
      return std::nullopt;
  return layout;
}

/// Returns the groups that collectives name, with the table's facts about them. A table from a log may have sizes and
/// positions that the program does not state.
std::vector<UsedGroup> namedGroups(const Graph &graph) {
  std::vector<UsedGroup> named;
  for (UsedGroup &used : usedGroups(graph)) {
    if (used.id.kind != GroupId::Kind::Name || used.id.text.empty())
      continue;
    if (const Group *known = graph.groups().find(used.id.text)) {
      used.size = used.size ? used.size : known->size().value_or(0);
      if (known->assumed && graph.rank)
        used.place = placeOf(*known);
      if (!known->assumed)
        used.given = layoutOf(*known);
      used.rank = graph.rank.value_or(0);
    }
    named.push_back(std::move(used));
  }
  return named;
}

/// Sets the ranks to 0 to size - 1, or to all subgroups of the layout if there are more ranks.
void fill(Group &group, const GroupLayout &layout, int64_t world) {
  group.assumed = true;
  group.ranks.clear();
  group.partition.clear();
  if (world <= static_cast<int64_t>(mostRanks) && layout.size < world)
    group.partition = cellsOf(layout, world);
  if (!group.partition.empty())
    return;
  group.ranks.resize(static_cast<size_t>(layout.size));
  std::iota(group.ranks.begin(), group.ranks.end(), int64_t{0});
}

} // namespace

// A dump names its groups and states at most their sizes. all_gather(x, 4, "tp") states 4, and so does an all_to_all of
// four splits; all_reduce(x, "sum", "dp") states no size, so "dp" is assumed to be the remaining ranks of the caller's
// number, or all of them. If there are several groups, they are assumed to be dimensions of one mesh. Such groups are
// marked, since they prove nothing: two groups that are assumed to have the same ranks may be different groups.
void assumeGroups(Graph &graph, size_t ranks) {
  std::vector<UsedGroup> named = namedGroups(graph);
  auto world = static_cast<int64_t>(ranks);
  std::vector<std::optional<GroupLayout>> layouts = nestGroups(named, world);
  for (size_t i = 0; i < named.size(); ++i) {
    const Group *known = graph.groups().find(named[i].id.text);
    GroupLayout layout = layouts[i] ? *layouts[i] : GroupLayout{world, 1};
    if (layout.size < 1 || layout.size > static_cast<int64_t>(mostRanks) || (known && !known->assumed) ||
        (known && !known->partition.empty()))
      continue;
    Group group = known ? *known : Group();
    group.name = named[i].id.text;
    fill(group, layout, world);
    graph.groups().set(std::move(group));
  }
}

namespace {

/// Returns a text such as "ranks 0 to 3", "4 consecutive ranks of 8" or "every 4th rank of 8 (0, 4)".
std::string takenAs(const Group &group) {
  if (group.partition.empty())
    return group.ranks.size() == 1 ? "rank 0" : "ranks 0 to " + std::to_string(group.ranks.size() - 1);
  llvm::ArrayRef<int64_t> cell = group.partition.front();
  size_t world = cell.size() * group.partition.size();
  std::string of = " of " + std::to_string(world);
  if (cell.size() < 2)
    return "each rank" + of + " alone";
  if (cell[1] - cell[0] == 1)
    return std::to_string(cell.size()) + " consecutive ranks" + of;
  return std::to_string(cell[0]) + ", " + std::to_string(cell[1]) + (cell.size() > 2 ? ", ..., " : "") +
         (cell.size() > 2 ? std::to_string(cell.back()) : "") + " and so on" + of + " ranks";
}

} // namespace

// Groups of one layout are listed together: "groups 0, 1 taken as ranks 0 to 3; group 2 taken as ranks 0 to 7, since no
// file says".
std::string assumedGroupsText(const GroupTable &groups) {
  constexpr size_t mostNames = 6;
  std::vector<std::pair<std::string, std::vector<std::string>>> byWords;
  for (const Group &group : groups.groups()) {
    if (!group.assumed)
      continue;
    std::string words = takenAs(group);
    auto known = llvm::find_if(byWords, [&](const auto &entry) { return entry.first == words; });
    if (known == byWords.end())
      known = byWords.insert(known, {words, {}});
    known->second.push_back(visibleText(group.name));
  }
  std::string text;
  for (const auto &[words, names] : byWords) {
    text += (text.empty() ? "" : "; ") + std::string(names.size() == 1 ? "group " : "groups ");
    bool all = names.size() <= mostNames;
    text += llvm::join(llvm::ArrayRef(names).take_front(mostNames), ", ") + (all ? "" : ", ...") + " taken as " + words;
  }
  return text.empty() ? "" : text + ", since no file states them";
}

namespace {

/// Returns true if a group of this size may span more than one node, or only one node, and neither is known. The group
/// of all ranks is excluded: the only assumption about the default group is that its ranks are consecutive.
bool mayStandOtherwise(const Group &group, int64_t ranksPerNode) {
  auto size = group.size().value_or(0);
  bool isWhole = group.partition.empty() && group.name == "0";
  int64_t world = size * std::max<int64_t>(static_cast<int64_t>(group.partition.size()), 1);
  return group.assumed && !isWhole && size > 1 && world > ranksPerNode;
}

/// Returns a text such as {"size": 8, "stride": 8, "world": 64}.
std::string layoutJson(const Group &group) {
  llvm::ArrayRef<int64_t> cell = group.partition.empty() ? group.ranks : group.partition.front();
  size_t world = cell.size() * std::max<size_t>(group.partition.size(), 1);
  return "{\"size\": " + std::to_string(cell.size()) + ", \"stride\": " + std::to_string(cell[1] - cell[0]) +
         ", \"world\": " + std::to_string(world) + "}";
}

} // namespace

std::string groupGuessText(const Graph &graph, int64_t ranksPerNode) {
  constexpr size_t most = 3;
  std::vector<std::string> names, entries;
  for (const UsedGroup &used : usedGroups(graph))
    if (const Group *group = graph.groups().find(used.id.text); group && mayStandOtherwise(*group, ranksPerNode)) {
      names.push_back(group->name);
      entries.push_back("\"" + group->name + "\": " + layoutJson(*group));
    }
  if (names.empty())
    return "";
  bool all = entries.size() <= most;
  return "the ranks of " + std::string(names.size() == 1 ? "group " : "groups ") +
         llvm::join(llvm::ArrayRef(names).take_front(most), ", ") + (all ? "" : ", ...") +
         ", on which the times below depend; if they are others, correct this and give it with --groups FILE: "
         "{\"groups\": {" +
         llvm::join(llvm::ArrayRef(entries).take_front(most), ", ") + (all ? "" : ", ...") + "}}";
}

namespace {

/// Adds the assumption, and the lines of Python that write the group file.
void sayHowToTell(Diagnostic &finding, const std::string &assumed) {
  finding.notes.push_back(assumed + ": --groups FILE states the ranks, or run another number of ranks");
  finding.notes.push_back("these lines in the job write FILE:");
  finding.notes.push_back("from torch.distributed.distributed_c10d import _world, get_process_group_ranks as ranks");
  finding.notes.push_back("groups = {name: {\"ranks\": ranks(group)} for group, name in _world.pg_names.items()}");
  finding.notes.push_back("import json; json.dump({\"groups\": groups}, open(\"groups.json\", \"w\"))");
}

} // namespace

llvm::Error checkWellFormed(const Graph &graph, const StorageMap *storages) {
  std::vector<Diagnostic> findings = verify(graph, {.warnings = false, .storages = storages});
  std::string assumed = assumedGroupsText(graph.groups());
  auto isOfGroups = [](const Diagnostic &finding) { return llvm::StringRef(finding.rule).startswith("types."); };
  // The note is added once, since a wrong group usually contradicts many calls.
  if (auto first = llvm::find_if(findings, isOfGroups); !assumed.empty() && first != findings.end())
    sayHowToTell(*first, assumed);
  return findings.empty() ? llvm::Error::success() : makeError(std::move(findings));
}

std::vector<std::string> unknownGroups(const Graph &graph) {
  std::vector<std::string> names;
  for (const UsedGroup &group : namedGroups(graph))
    if (!graph.groups().find(group.id.text))
      names.push_back(visibleText(group.id.text));
  return names;
}

size_t statedRanks(const Graph &graph) {
  if (std::optional<int64_t> world = knownWorldSize(graph))
    return static_cast<size_t>(*world);
  return static_cast<size_t>(impliedWorldSize(namedGroups(graph)));
}

} // namespace ccgraph
