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
// Cost: O(nodes + groups^2 * members) to build, O(1) a query.
// Fails never.
#pragma once

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/graph.h"

#include "llvm/ADT/StringMap.h"

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
  /// True if the two groups may have two or more ranks in common; each does with itself.
  [[nodiscard]] bool share(uint32_t a, uint32_t b) const { return share_[a * keys_.size() + b]; }
  /// True if these two communicating nodes may not be issued in another order.
  [[nodiscard]] bool keepOrder(const Node *a, const Node *b) const;

private:
  /// `collective`: the node, or the call that it wraps
  void add(const Node &node, const Node &collective);

  bool spmd_;
  std::vector<uint32_t> groupOf_;
  std::vector<bool> strict_;
  std::vector<std::string> keys_;
  /// by group: its possible member lists; empty if unknown
  std::vector<std::vector<std::vector<int64_t>>> cells_;
  llvm::StringMap<uint32_t> index_;
  std::vector<bool> share_;
};

} // namespace ccgraph
