// Placements: the number of nodes that the ranks of each group occupy.
//
// All ranks of an SPMD program must reach the same decision, so a placement reads only facts that all ranks share.
// These are a partition, a group of all ranks, sizes that calls state, and the number of ranks of the job
// (ccgraph/ir/group_nesting.h). It does not read the list that the table of one rank gives of some ranks: the groups of
// other ranks may be longer or shorter. If ranks run different programs, the rank's own list is used. If no size is
// known, a full node is assumed. Cells of a partition may have different placements; the cell on the most nodes counts.
//
// Ownership: refers to the graph and the machine. Failure: none. Cost: a group's ranks are read once; a query costs the
// identity of the group (groupIdOf).
#pragma once

#include "ccgraph/ir/group_nesting.h"
#include "ccgraph/passes/cost.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph {

class Placements {
public:
  Placements(const Graph &graph, const Machine &machine, RankView view);

  [[nodiscard]] Placement of(const Node &collective);
  /// Returns the groups whose ranks were assumed, in the order of the queries.
  [[nodiscard]] llvm::ArrayRef<std::string> assumed() const { return assumed_; }

private:
  [[nodiscard]] Placement look(const Node &collective, const GroupId &group);
  [[nodiscard]] Placement guess(const Node &collective, const GroupId &group);
  [[nodiscard]] Placement ofLayout(const GroupLayout &layout) const;
  [[nodiscard]] Placement ofRanks(llvm::ArrayRef<int64_t> ranks) const;
  [[nodiscard]] int64_t statedSize(const Node &collective) const;

  const Graph &graph_;
  int64_t ranksPerNode_;
  std::optional<int64_t> world_; ///< set if only facts common to all ranks count
  std::vector<UsedGroup> used_;
  std::vector<std::optional<GroupLayout>> layouts_; ///< of `used_`
  /// by kind and text of the group's identity
  llvm::StringMap<Placement> known_;
  std::vector<std::string> assumed_;
};

} // namespace ccgraph
