// FusionRegions: predicts which operators a compiler fuses into one kernel, and the bytes that each kernel reads and
// writes.
//
//   a = add(x, y); b = sigmoid(a); c = mul(a, b)      one kernel: reads x, y; writes c, and a if others read it
//
// Operators that move data, compute elementwise or reduce are fused with their operands unless a kernel of its own lies
// between. Two operators fuse only if the longest path to each contains the same number of products, sorts and other
// separate kernels, so no path between them leads through such a kernel. They do not fuse if a collective that reads
// the region lies between them. Views join their readers to the value that they view. The program order has no
// influence.
//
// A kernel's bytes are charged to the nodes that move them. Values from outside are charged to the first node of the
// region that reads them, and values that others read to the node that produces them. A view is charged for the part of
// its base that it can show.
//
// Ownership: numbers by node id; keeps no reference to the graph. Failure: none. Cost: linear in nodes and edges.
#pragma once

#include "ccgraph/ir/graph.h"

#include <limits>
#include <vector>

namespace ccgraph {

class FusionRegions {
public:
  static constexpr uint32_t noRegion = std::numeric_limits<uint32_t>::max();

  explicit FusionRegions(const Graph &graph);

  /// Returns the node's region, dense from 0, in the program order of their first nodes; a region may have a single
  /// node. noRegion for nodes that are never fused, and for nodes created later.
  [[nodiscard]] uint32_t regionOf(const Node &node) const {
    return node.id() < region_.size() ? region_[node.id()] : noRegion;
  }
  [[nodiscard]] uint32_t numRegions() const { return static_cast<uint32_t>(size_.size()); }
  /// Returns true if the node is the only one of its region.
  [[nodiscard]] bool isAlone(const Node &node) const {
    const uint32_t region = regionOf(node);
    return region != noRegion && size_[region] == 1;
  }
  /// Returns true for the first node of its region, to which the launch is charged.
  [[nodiscard]] bool isFirst(const Node &node) const { return isFirst_[node.id()]; }
  /// Returns the bytes that the node moves between its region and memory; empty if a size is unknown.
  [[nodiscard]] std::optional<double> bytesOf(const Node &node) const {
    return bytes_[node.id()] < 0 ? std::nullopt : std::optional<double>(bytes_[node.id()]);
  }

private:
  /// nodes, by region
  std::vector<uint32_t> size_;
  /// by node id
  std::vector<uint32_t> region_;
  std::vector<bool> isFirst_;
  /// negative: unknown
  std::vector<double> bytes_;
};

} // namespace ccgraph
