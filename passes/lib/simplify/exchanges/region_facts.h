// RegionFacts: what the rewrites of simplify-collectives need to know about the program before any rewrite.
//
// Ownership: refers to the graph and the context of the run. Failure: none. Cost: O(nodes) to build; memory is counted
// at the first question.
#pragma once

#include "analysis/value_placements.h"
#include "rewrite/group_sizes.h"
#include "rewrite/spare_memory.h"
#include "simplify/exchanges/region.h"

namespace ccgraph {

class RegionFacts {
public:
  RegionFacts(Graph &graph, PassContext &context);
  RegionFacts(const RegionFacts &) = delete;
  RegionFacts &operator=(const RegionFacts &) = delete;

  [[nodiscard]] const ProgramFacts &program() const { return facts_; }
  [[nodiscard]] const CommGroups &groups() const { return groups_; }
  [[nodiscard]] SpareMemory &spare() { return spare_; }
  [[nodiscard]] bool spmd() const { return context_.spmd(); }
  [[nodiscard]] bool bitwise() const { return context_.bitwise(); }
  [[nodiscard]] const CostModel &cost() const { return context_.cost(); }
  /// Returns the number of ranks of the launch's group, as every rank derives it; empty if it is unknown.
  [[nodiscard]] std::optional<int64_t> ranks(const Node &launch);
  /// Returns true if the call, or the members of its group, state that the group has one rank. Another call on the
  /// group is no proof for the legality checker.
  [[nodiscard]] bool isOnOneRank(const Node &launch) const;
  /// Returns true if the value is bitwise equal on all ranks of the launch's group. O(nodes) at the first question.
  [[nodiscard]] bool isReplicated(const Node &value, const Node &launch);

  /// Returns true if the node was in the graph before any rewrite.
  [[nodiscard]] bool isOriginal(const Node &node) const { return node.id() <= lastId_; }
  /// Returns true if some step writes the value's memory.
  [[nodiscard]] bool isWritten(const Node &value) const { return isIn(value, written_); }
  /// Returns true if the value is returned, or some step observes its place in memory.
  [[nodiscard]] bool isObserved(const Node &value) const { return isIn(value, observed_); }
  [[nodiscard]] bool isReshaped(const Node &value) const { return program().isReshaped(&value); }
  /// Returns true if an opaque step is between the two nodes; `to` null: to the end.
  [[nodiscard]] bool isOpaqueBetween(const Node &from, const Node *to) const;

private:
  [[nodiscard]] bool isIn(const Node &value, const std::vector<bool> &set) const;

  const Graph &graph_;
  PassContext &context_;
  const ProgramFacts &facts_;
  CommGroups groups_;
  GroupSizes sizes_;
  /// by group: its size, once it has been asked for
  std::vector<std::optional<std::optional<int64_t>>> ranks_;
  SpareMemory spare_;
  /// by storage
  std::vector<bool> written_, observed_;
  /// in program order
  std::vector<const Node *> opaque_;
  uint32_t lastId_ = 0;
  std::optional<ValuePlacements> placements_;
};

} // namespace ccgraph
