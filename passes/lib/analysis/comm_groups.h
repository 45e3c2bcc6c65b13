// CommGroups: the groups that a program communicates on, and which of its collectives must keep
// their order.
//
// One group is one stream: its collectives are issued in the same order on every rank. A
// point-to-point transfer or barrier keeps its place, besides, among the collectives of every group
// that shares two or more ranks with its own, since another rank may wait for it with the other
// group's transfer issued (groups whose members are not known are taken to share). In a program
// that other ranks do not run too, the whole order stays.
//
// Ownership: refers into the graph.
// Cost: O(nodes + members of groups) to build without strict nodes; for each group with one, besides, the groups that
// its ranks are in. A query is O(log groups).
// Fails never.
#pragma once

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/graph.h"

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
  /// control_deps around a collective communicates.
  [[nodiscard]] uint32_t groupOf(const Node *node) const { return groupOf_[node->id()]; }
  /// Groups that some node communicates on.
  [[nodiscard]] size_t numGroups() const { return keys_.size(); }
  [[nodiscard]] llvm::StringRef key(uint32_t group) const { return keys_[group]; }
  /// Point-to-point or barrier: bound to the order of other groups too.
  [[nodiscard]] bool isStrict(const Node *node) const { return strict_[node->id()]; }
  /// Groups that may have two or more ranks in common with this one, itself among them, ascending. Asked only of the group
  /// of a strict node, since no other needs to know; empty for one that has none.
  [[nodiscard]] llvm::ArrayRef<uint32_t> sharing(uint32_t group) const { return sharing_[group]; }
  /// The other way round: groups with a strict node that may share two ranks with this one, ascending.
  [[nodiscard]] llvm::ArrayRef<uint32_t> fencing(uint32_t group) const { return fencing_[group]; }
  /// True if these two communicating nodes may not be issued in another order.
  [[nodiscard]] bool keepOrder(const Node *a, const Node *b) const;

private:
  /// `collective`: the node, or the call that it wraps
  void add(const Node &node, const Node &collective);
  /// Which groups share two ranks with those that have a strict node: found through the ranks, since a table may hold many
  /// groups of which few meet.
  void findSharing();
  void findSharing(uint32_t group);
  [[nodiscard]] bool shares(uint32_t strict, uint32_t other) const;

  bool spmd_;
  std::vector<uint32_t> groupOf_;
  std::vector<bool> strict_;
  std::vector<std::string> keys_;
  /// by group: its possible member lists; empty if unknown
  std::vector<std::vector<std::vector<int64_t>>> cells_;
  llvm::StringMap<uint32_t> index_;
  /// by rank: the cells that it is in
  struct Cell {
    uint32_t group;
    uint32_t index;
  };
  std::unordered_map<int64_t, std::vector<Cell>> cellsOf_;
  /// groups of unknown members
  std::vector<uint32_t> unknown_;
  std::vector<std::vector<uint32_t>> sharing_;
  std::vector<std::vector<uint32_t>> fencing_;
};

} // namespace ccgraph
