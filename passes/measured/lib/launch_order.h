// LaunchOrder: the nodes of a generated kernel that no mapping states.
//
// Inductor launches the kernels of a graph in an order of its program. So a kernel between two matched calls computes
// nodes between the nodes of these calls: those that no matched call computes and that are no views, collectives or
// waits. Several kernels between the same calls have the same nodes.
//
// Ownership: refers to the calls and to the graph, which must outlive it. Failure: none; a kernel has no nodes if the
// calls around it are in another order than their nodes. Cost: linear in the calls to construct, and in the nodes of
// the result for each kernel.
#pragma once

#include "profile_view.h"

namespace ccgraph::measured {

class LaunchOrder {
public:
  /// `calls` are those of one window, in the order of time.
  LaunchOrder(const GraphCalls &graph, llvm::ArrayRef<FoundCall> calls);
  /// Returns the nodes of a kernel of this name that the host launches at this time.
  [[nodiscard]] llvm::SmallVector<NodeIndex, 2> nodesOf(llvm::StringRef eventName, int64_t launched) const;

private:
  const GraphCalls &graph_;
  llvm::ArrayRef<FoundCall> calls_;
  std::vector<bool> isMatched_; ///< by node
};

} // namespace ccgraph::measured
