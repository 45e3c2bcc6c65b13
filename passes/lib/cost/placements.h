// Placements: on how many nodes the ranks of each group stand.
//
// The group table gives ranks to names. Where it gives none, what the call or the graph says of the
// group's size is taken, with consecutive ranks; where nobody says a size, a full node. Cells of a
// partition may stand differently; the one on the most nodes counts, since a collective is as slow on
// every rank and all ranks must decide alike.
//
// Ownership: refers to the graph and the machine. Failure: none. Cost: a group's ranks are looked at
// once, a question costs the identity of the group (groupIdOf).
#pragma once

#include "ccgraph/passes/cost.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph {

class Placements {
public:
  Placements(const Graph &graph, const Machine &machine) : graph_(graph), ranksPerNode_(machine.ranksPerNode) {}

  [[nodiscard]] Placement of(const Node &collective);
  /// Groups whose ranks were taken for granted, in the order in which they were asked for.
  [[nodiscard]] llvm::ArrayRef<std::string> assumed() const { return assumed_; }

private:
  [[nodiscard]] Placement look(const Node &collective, const std::vector<std::vector<int64_t>> &cells);
  [[nodiscard]] Placement ofRanks(llvm::ArrayRef<int64_t> ranks) const;
  [[nodiscard]] int64_t statedSize(const Node &collective) const;

  const Graph &graph_;
  int64_t ranksPerNode_;
  /// by kind and text of the group's identity
  llvm::StringMap<Placement> known_;
  std::vector<std::string> assumed_;
};

} // namespace ccgraph
