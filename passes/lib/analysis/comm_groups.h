// CommGroups: the groups on which a program communicates, and the collectives that must keep their order.
//
// One group is one stream: its collectives are issued in the same order on every rank. Three further rules bind the
// order of collectives of different groups:
//   - a *fence*, a point-to-point transfer or barrier, keeps its position among the collectives of every
//     group that may share two or more ranks with its own, since another rank may wait for the fence
//     while it has the other group's collective issued;
//   - a group that may be the same as another of the program (see group_id.h) keeps its order with
//     all others, since the two may be one stream;
//   - the whole order stays if other ranks run other programs.
// The last two rules divide the program into *sections*. Communicating nodes of different sections keep their order;
// those of one section may be reordered. A section is a run of collectives of one ambiguous group, or a run of
// collectives of groups that are all distinct.
//
// Example: a = f on x, b = f on y, c = f on x, where x and y are two attributes that may hold one group: sections {a},
// {b}, {c}. Two names x and y give one section.
//
// Ownership: refers into the graph.
// Cost: O(nodes + members of groups) to build without fences; for each group with a fence, also the groups that contain
// its ranks. A query is O(1).
// Failure: none.
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
  /// Returns the node's group, dense from 0 in order of first appearance; `none` for a node that does not communicate.
  /// A control_deps around one collective communicates on its group; one around several has a group of its own.
  [[nodiscard]] uint32_t groupOf(const Node *node) const { return groupOf_[node->id()]; }
  /// Returns the number of groups on which some node communicates.
  [[nodiscard]] size_t numGroups() const { return ids_.size(); }
  [[nodiscard]] const GroupId &id(uint32_t group) const { return ids_[group]; }
  /// Returns true for a point-to-point transfer or barrier, which is bound to the order of other groups too.
  [[nodiscard]] bool isFence(const Node *node) const { return fence_[node->id()]; }
  /// Returns the groups, ascending, that may have two or more ranks in common with this one, itself included. Only
  /// groups that have a fence have such a list; it is empty for all others.
  [[nodiscard]] llvm::ArrayRef<uint32_t> sharing(uint32_t group) const { return sharing_[group]; }
  /// Returns the section of a communicating node; the numbers never decrease in program order.
  [[nodiscard]] uint32_t section(const Node *node) const { return section_[node->id()]; }

private:
  /// One list of ranks that a group may have.
  struct Cell {
    uint32_t group;
    uint32_t index;
  };
  void add(const Node &node);
  void cut(const Graph &graph, bool spmd);
  /// Finds the groups that share two ranks with those that have a fence. It goes through the ranks, since a table may
  /// hold many groups of which few overlap.
  void findSharing(const Graph &graph);
  void findSharing(uint32_t group);

  /// for an SPMD program: the number of ranks of the job, if known
  std::optional<int64_t> world_;
  std::vector<uint32_t> groupOf_;
  std::vector<bool> fence_;
  std::vector<uint32_t> section_;
  std::vector<GroupId> ids_;
  llvm::StringMap<uint32_t> index_;
  /// by group: its possible member lists; empty if unknown
  std::vector<std::vector<std::vector<int64_t>>> cells_;
  /// by rank: the cells that contain it
  std::unordered_map<int64_t, std::vector<Cell>> cellsOf_;
  /// groups of unknown members
  std::vector<uint32_t> unknown_;
  std::vector<std::vector<uint32_t>> sharing_;
};

} // namespace ccgraph
