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
  /// `capacity` may be `unlimited`. Returns the number of the edge.
  uint32_t connect(uint32_t from, uint32_t to, int64_t capacity);
  /// Computes the flow, at most `unlimited`. Called once.
  int64_t run(uint32_t source, uint32_t sink);
  /// Returns true, after run(), for a node on the source's side of a minimum cut: the cut with the fewest nodes on that
  /// side, to which more can flow from the source.
  [[nodiscard]] bool onSourceSide(uint32_t node) const { return level_[node] != none; }
  /// Returns, after run(), how much more this edge can take.
  [[nodiscard]] int64_t left(uint32_t edge) const { return edges_[edge].left; }
  /// More than `bytes` from one node to another.
  struct Excess {
    uint32_t from, to;
    int64_t bytes;
  };
  /// Returns true, after run(), if that much can flow in addition. The flow stays as it is. `work`: the number of edges
  /// that may be visited, of which it takes the visited ones; at 0 the result is false.
  bool admits(Excess excess, size_t &work);
  /// Returns, by node, after run(), true if more can flow from that node to `to`.
  [[nodiscard]] std::vector<bool> reaching(uint32_t to) const;

private:
  struct Edge {
    uint32_t to;
    /// the next edge of the same node
    uint32_t next;
    int64_t left;
  };
  bool findLevels(uint32_t source, uint32_t sink);
  int64_t augment(uint32_t source, uint32_t sink);
  /// A path found by breadth: by node, the edge that leads to it.
  struct Search {
    std::vector<uint32_t> edgeTo;
    std::vector<uint32_t> visited;
  };
  bool findPath(Search &search, Excess excess, size_t &work) const;
  void push(uint32_t edge, int64_t sent) {
    edges_[edge].left -= sent;
    edges_[edge ^ 1].left += sent;
  }

  /// edges e and e ^ 1 are one edge in both directions
  std::vector<Edge> edges_;
  /// by node
  std::vector<uint32_t> first_, at_, level_;
  Search search_;
};

} // namespace ccgraph::overlap
