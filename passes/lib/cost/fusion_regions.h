// FusionRegions: which operators a compiler would make one kernel of, and what each kernel reads and
// writes.
//
//   a = add(x, y); b = sigmoid(a); c = mul(a, b)      one kernel: reads x, y; writes c, and a if others read it
//
// Operators that move, compute element by element or reduce are fused with those that they read, as
// long as nothing in between is a kernel of its own: two operators fuse only if the same number of
// products, sorts and other own kernels stand on the longest way to each, so no such way leads from one
// to the other through a kernel; and not if a collective that reads the region stands between them. Views
// join what reads them to what they view. The order of the program has no part in it.
//
// A kernel's bytes are charged to the nodes that move them: what comes from outside to the first node
// of the region that reads it, and what others read to the node that makes it. A view is charged for
// what of its base it can show.
//
// Ownership: numbers by node id; refers to nothing afterwards. Failure: none. Cost: linear in nodes and
// edges.
#pragma once

#include "ccgraph/ir/graph.h"

#include <limits>
#include <vector>

namespace ccgraph {

class FusionRegions {
public:
  static constexpr uint32_t noRegion = std::numeric_limits<uint32_t>::max();

  explicit FusionRegions(const Graph &graph);

  /// Dense from 0, in the program order of their first nodes; a region may have a single node. noRegion for what is never
  /// fused, and for nodes that were made later.
  [[nodiscard]] uint32_t regionOf(const Node &node) const {
    return node.id() < region_.size() ? region_[node.id()] : noRegion;
  }
  [[nodiscard]] uint32_t numRegions() const { return static_cast<uint32_t>(size_.size()); }
  /// True where the node is the only one of its region.
  [[nodiscard]] bool isAlone(const Node &node) const {
    const uint32_t region = regionOf(node);
    return region != noRegion && size_[region] == 1;
  }
  /// True for the first node of its region: it stands for the launch.
  [[nodiscard]] bool isFirst(const Node &node) const { return isFirst_[node.id()]; }
  /// Bytes that the node moves between its region and memory; empty where a size is not known.
  [[nodiscard]] std::optional<double> bytesOf(const Node &node) const {
    return bytes_[node.id()] < 0 ? std::nullopt : std::optional<double>(bytes_[node.id()]);
  }

private:
  /// nodes, by region
  std::vector<uint32_t> size_;
  /// by node id
  std::vector<uint32_t> region_;
  std::vector<bool> isFirst_;
  /// negative: not known
  std::vector<double> bytes_;
};

} // namespace ccgraph
