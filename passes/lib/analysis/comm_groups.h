// CommGroups: the groups that a program communicates on, and which of its collectives must keep
// their order.
//
// One group is one stream: its collectives are issued in the same order on every rank. Three things
// bind the order of collectives of different groups, besides:
//   - a *fence*, a point-to-point transfer or barrier, keeps its place among the collectives of every
//     group that may share two or more ranks with its own, since another rank may wait for it with
//     the other group's transfer issued;
//   - a group that may be one with another of the program (see group_id.h) keeps its order with
//     all others, since the two may be one stream;
//   - in a program that other ranks do not run too, the whole order stays.
// The last two cut the program into *sections*: communicating nodes of different sections never pass
// each other, those of one section may (a section is a run of one such group's collectives, or a run
// of collectives of groups that are all told apart).
//
// Example: a = f on x, b = f on y, c = f on x, where x and y are two attributes that may hold one
// group: sections {a}, {b}, {c}. With x and y two names: one section.
//
// Ownership: refers into the graph.
// Cost: O(nodes + members of groups) to build without fences; for each group with one, besides, the
// groups that its ranks are in. A query is O(1).
// Fails never.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/group_id.h"

#include "llvm/ADT/StringMap.h"

#include <unordered_map>
#include <vector>

namespace ccgraph {

class CommGroups {
public:
  /// `spmd` false: other ranks run other programs.
  CommGroups(const Graph &graph, bool spmd);

  static constexpr uint32_t none = ~0U;
  /// Dense from 0 in order of first appearance; `none` for a node that does not communicate. A
  /// control_deps around a collective communicates; one around several does so on a group of its own.
  [[nodiscard]] uint32_t groupOf(const Node *node) const { return groupOf_[node->id()]; }
  /// Groups that some node communicates on.
  [[nodiscard]] size_t numGroups() const { return ids_.size(); }
  [[nodiscard]] const GroupId &id(uint32_t group) const { return ids_[group]; }
  /// Point-to-point or barrier: bound to the order of other groups too.
  [[nodiscard]] bool isFence(const Node *node) const { return fence_[node->id()]; }
  /// Groups that may have two or more ranks in common with this one, itself among them, ascending. Asked only of the
  /// group of a fence, since no other needs to know; empty for one that has none.
  [[nodiscard]] llvm::ArrayRef<uint32_t> sharing(uint32_t group) const { return sharing_[group]; }
  /// The other way round: groups with a fence that may share two ranks with this one, ascending.
  [[nodiscard]] llvm::ArrayRef<uint32_t> fencing(uint32_t group) const { return fencing_[group]; }
  /// Of a communicating node: numbers that never fall in program order.
  [[nodiscard]] uint32_t section(const Node *node) const { return section_[node->id()]; }

private:
  /// One list of ranks that a group may be.
  struct Cell {
    uint32_t group;
    uint32_t index;
  };
  void add(const Node &node);
  void cut(const Graph &graph, bool spmd);
  /// Which groups share two ranks with those that have a fence: found through the ranks, since a table may hold many
  /// groups of which few meet.
  void findSharing(const Graph &graph);
  void findSharing(uint32_t group);

  /// of an SPMD program: the ranks of the job, where they are known
  std::optional<int64_t> world_;
  std::vector<uint32_t> groupOf_;
  std::vector<bool> fence_;
  std::vector<uint32_t> section_;
  std::vector<GroupId> ids_;
  llvm::StringMap<uint32_t> index_;
  /// by group: its possible member lists; empty if unknown
  std::vector<std::vector<std::vector<int64_t>>> cells_;
  /// by rank: the cells that it is in
  std::unordered_map<int64_t, std::vector<Cell>> cellsOf_;
  /// groups of unknown members
  std::vector<uint32_t> unknown_;
  std::vector<std::vector<uint32_t>> sharing_;
  std::vector<std::vector<uint32_t>> fencing_;
};

} // namespace ccgraph
