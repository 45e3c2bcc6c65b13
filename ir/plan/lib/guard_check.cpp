#include "ccgraph/ir/guard_check.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/plan.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace ccgraph {
namespace {

/// The facts that are known where a program is checked.
struct Facts {
  llvm::ArrayRef<Group> groups;
  std::optional<int64_t> rank;
  std::optional<RunPlace> place;
};

struct Finding {
  const Guard *guard;
  /// empty if there is no such group
  std::optional<GuardValue> now;
};

/// Returns whether any group is known and not only assumed.
bool areGroupsKnown(const Facts &facts) {
  return llvm::any_of(facts.groups, [](const Group &group) { return !group.assumed; });
}

/// Compares with the description in PyTorch's registry.
bool isDefaultGroup(const Group &group) { return group.description == "default_pg"; }

std::vector<int64_t> allRanks(RunPlace place) {
  std::vector<int64_t> ranks(static_cast<size_t>(place.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// Returns the members of a group, as far as the run has them; empty if they are unknown, or depend on an unknown rank.
std::optional<std::vector<int64_t>> membersOf(const Facts &facts, const Group &group) {
  bool unknown = group.ranks.empty() && group.partition.empty();
  if (unknown || (!facts.rank && !group.partition.empty()))
    return std::nullopt;
  if (facts.place && isDefaultGroup(group))
    return allRanks(*facts.place);
  std::vector<int64_t> members = group.members(facts.rank.value_or(0)).vec();
  if (facts.place)
    llvm::erase_if(members, [&](int64_t rank) { return rank >= facts.place->ranks; });
  return members;
}

/// Returns the size; known even without a rank if all cells of a partition have one size.
std::optional<int64_t> sizeOf(const Facts &facts, const Group &group) {
  if (!facts.place)
    return group.size();
  auto members = membersOf(facts, group);
  return members ? std::optional<int64_t>(members->size()) : std::nullopt;
}

/// Returns this rank's place, -1 outside.
std::optional<int64_t> placeIn(const Facts &facts, const Group &group) {
  auto members = membersOf(facts, group);
  if (!facts.rank || !members)
    return std::nullopt;
  auto found = llvm::find(*members, *facts.rank);
  return found == members->end() ? -1 : found - members->begin();
}

std::optional<llvm::StringRef> attributeOf(const Group &group, GuardFact fact) {
  auto found =
      llvm::find_if(group.attributes, [&](const auto &attribute) { return attribute.first == guardFactName(fact); });
  return found == group.attributes.end() ? std::nullopt : std::optional<llvm::StringRef>(found->second);
}

/// Returns the number of dimensions of the group's mesh if the table states it.
std::optional<int64_t> meshDimsOf(const Group &group) {
  std::optional<llvm::StringRef> text = attributeOf(group, GuardFact::MeshDims);
  int64_t dims = 0;
  return text && !text->getAsInteger(10, dims) ? std::optional(dims) : std::nullopt;
}

/// Returns the device type of the group's mesh if the table states it. A device type needs no escape in JSON.
std::optional<std::string> deviceTypeOf(const Group &group) {
  std::optional<llvm::StringRef> text = attributeOf(group, GuardFact::DeviceType);
  bool isText = text && text->consume_front("\"") && text->consume_back("\"") && !text->contains('\\');
  return isText ? std::optional(text->str()) : std::nullopt;
}

template <typename Value>
std::optional<GuardValue> answer(std::optional<Value> value) {
  return value ? std::optional<GuardValue>(std::move(*value)) : std::nullopt;
}

/// Returns an empty value if the fact is unknown.
std::optional<GuardValue> valueOf(const Facts &facts, const Group &group, GuardFact fact) {
  switch (fact) {
  case GuardFact::Name:
    return group.name;
  case GuardFact::Tag:
    return group.tag;
  case GuardFact::Size:
    return answer(sizeOf(facts, group));
  case GuardFact::Ranks:
    return answer(membersOf(facts, group));
  case GuardFact::Rank:
    return answer(placeIn(facts, group));
  case GuardFact::MeshDims:
    return answer(meshDimsOf(group));
  case GuardFact::DeviceType:
    return answer(deviceTypeOf(group));
  case GuardFact::Member: {
    std::optional<int64_t> place = placeIn(facts, group);
    return place ? std::optional<GuardValue>(*place >= 0) : std::nullopt;
  }
  }
  return std::nullopt;
}

std::optional<Finding> contradiction(const Facts &facts, const Guard &guard) {
  const auto *group = llvm::find_if(facts.groups, [&](const Group &each) { return each.name == guard.of; });
  if (group == facts.groups.end())
    return areGroupsKnown(facts) ? std::optional(Finding{&guard, std::nullopt}) : std::nullopt;
  std::optional<GuardValue> now = valueOf(facts, *group, guard.fact);
  return now && *now != guard.value ? std::optional(Finding{&guard, std::move(now)}) : std::nullopt;
}

Diagnostic diagnosticOf(const Facts &facts, const Finding &found) {
  Diagnostic diagnostic;
  diagnostic.rule = "guards.fact";
  diagnostic.where = "group " + found.guard->of;
  std::string when = "now";
  if (facts.place)
    when = "on rank " + std::to_string(facts.place->rank) + " of " + std::to_string(facts.place->ranks);
  diagnostic.message = "the graph was traced with " + guardFactName(found.guard->fact).str() + " " +
                       guardValueText(found.guard->value) + ", and " +
                       (found.now ? "it is " + guardValueText(*found.now) : "there is no such group") + " " + when;
  diagnostic.notes.emplace_back(
      facts.place ? "run it with the ranks that it was traced for, each rank its own graph or plan, or trace it again"
                  : "trace the program again where it runs, or give it the groups that it was traced with");
  return diagnostic;
}

llvm::Error check(llvm::ArrayRef<Guard> guards, const Facts &facts) {
  std::vector<Diagnostic> found;
  for (const Guard &guard : guards)
    if (std::optional<Finding> wrong = contradiction(facts, guard))
      found.push_back(diagnosticOf(facts, *wrong));
  return found.empty() ? llvm::Error::success() : makeError(std::move(found));
}

std::optional<int64_t> rankOf(std::optional<RunPlace> place, std::optional<int64_t> stated) {
  return place ? place->rank : stated;
}

} // namespace

llvm::Error checkGuards(const Graph &graph, std::optional<RunPlace> place) {
  return check(graph.guards, {graph.groups().groups(), rankOf(place, graph.rank), place});
}

llvm::Error checkGuards(const Plan &plan, std::optional<RunPlace> place) {
  return check(plan.guards, {plan.groups, rankOf(place, plan.rank), place});
}

} // namespace ccgraph
