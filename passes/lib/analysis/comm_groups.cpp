#include "analysis/comm_groups.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/group_nesting.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph {

namespace {

/// Returns true if the node communicates. A wrapper may hold several collectives, so its effects are used instead of
/// its one call.
bool communicates(const Node &node) {
  if (collectiveOf(node))
    return true;
  return node.op() && node.op()->role == OpRole::ControlDeps && effectsOf(node).domain == Domain::Comm;
}

bool isFenceCall(const Node &node) {
  const Node *call = wrappedCall(node);
  const CollectiveSpec *spec = call ? collectiveOf(*call) : nullptr;
  return spec && (isPointToPoint(spec->kind) || spec->kind == CollectiveKind::Barrier);
}

} // namespace

CommGroups::CommGroups(const Graph &graph, bool spmd)
    : groupOf_(graph.idLimit(), none), fence_(graph.idLimit(), false), section_(graph.idLimit()) {
  for (const Node *node : graph)
    if (communicates(*node))
      add(*node);
  // Other ranks may have other members in their tables, so an SPMD program uses only what all ranks have in common.
  if (spmd)
    world_ = knownWorldSize(graph);
  cut(graph, spmd);
  sharing_.resize(ids_.size());
  if (llvm::is_contained(fence_, true))
    findSharing(graph);
}

void CommGroups::findSharing(const Graph &graph) {
  for (uint32_t group = 0; group < ids_.size(); ++group) {
    cells_.push_back(sharedMembers(graph.groups(), ids_[group], world_));
    if (cells_[group].empty())
      unknown_.push_back(group);
    for (uint32_t index = 0; index < cells_[group].size(); ++index)
      for (int64_t rank : cells_[group][index])
        cellsOf_[rank].push_back({group, index});
  }
  for (uint32_t id = 0; id < fence_.size(); ++id)
    if (fence_[id] && sharing_[groupOf_[id]].empty())
      findSharing(groupOf_[id]);
}

// Counts how often each other group occurs among the group's own ranks: a group that occurs twice shares two ranks.
// With groups [0, 1, 2, 3], [0, 1] and [0, 4], the first shares two ranks with the second and one with the third. If
// two groups have one rank in common, no other rank issues on both, so two ranks are required.
void CommGroups::findSharing(uint32_t group) {
  std::vector<uint32_t> &sharing = sharing_[group];
  if (cells_[group].empty()) {
    for (uint32_t other = 0; other < ids_.size(); ++other)
      sharing.push_back(other);
    return;
  }
  sharing = unknown_;
  sharing.push_back(group);
  for (const std::vector<int64_t> &cell : cells_[group]) {
    llvm::DenseMap<std::pair<uint32_t, uint32_t>, unsigned> common;
    for (int64_t rank : cell)
      for (Cell other : cellsOf_[rank])
        if (++common[{other.group, other.index}] == 2)
          sharing.push_back(other.group);
  }
  llvm::sort(sharing);
  sharing.erase(std::unique(sharing.begin(), sharing.end()), sharing.end());
}

void CommGroups::add(const Node &node) {
  GroupId id = groupIdOf(node);
  std::string key = std::to_string(static_cast<int>(id.kind)) + id.text;
  auto [found, isNew] = index_.try_emplace(key, static_cast<uint32_t>(ids_.size()));
  if (isNew)
    ids_.push_back(std::move(id));
  groupOf_[node.id()] = found->second;
  fence_[node.id()] = isFenceCall(node);
}

// A new section begins wherever the group changes and one of the two may be the same as another group of the program.
// If ranks run different programs, each collective is a section of its own.
void CommGroups::cut(const Graph &graph, bool spmd) {
  std::vector<bool> open = openGroups(graph.groups(), ids_, world_);
  uint32_t section = 0;
  uint32_t previous = none;
  for (const Node *node : graph) {
    uint32_t group = groupOf_[node->id()];
    if (group == none)
      continue;
    bool bound = previous != none && (open[group] || open[previous]) && group != previous;
    section += !spmd || bound;
    section_[node->id()] = section;
    previous = group;
  }
}

} // namespace ccgraph
