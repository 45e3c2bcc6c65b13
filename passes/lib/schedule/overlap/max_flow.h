// MaxFlow: the largest flow from a source to a sink, and the cut that bounds it.
//
// Shortest augmenting paths by levels (E. Dinic, Algorithm for solution of a problem of maximum flow in networks with
// power estimation, Soviet Mathematics Doklady 11, 1970).
//
// Ownership: owns the network. Failure: none; capacities are not negative. Cost: O(V^2 E) at worst, near E on the
// networks of programs, which are shallow and wide.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

class MaxFlow {
public:
  /// Nodes are numbers below `nodes`.
  explicit MaxFlow(uint32_t nodes) : first_(nodes, none) {}
  /// `capacity` may be `unlimited`.
  void connect(uint32_t from, uint32_t to, int64_t capacity);
  /// At most `unlimited`. Asked once.
  int64_t run(uint32_t source, uint32_t sink);
  /// After run(): on the source's side of a least cut, the one with the fewest nodes on that side.
  [[nodiscard]] bool onSourceSide(uint32_t node) const { return level_[node] != none; }

private:
  struct Edge {
    uint32_t to;
    /// the next one of the same node
    uint32_t next;
    int64_t left;
  };
  bool findLevels(uint32_t source, uint32_t sink);
  int64_t augment(uint32_t source, uint32_t sink);

  /// edge e and edge e ^ 1 are one, in both directions
  std::vector<Edge> edges_;
  /// by node
  std::vector<uint32_t> first_, at_, level_;
};

} // namespace ccgraph::overlap
