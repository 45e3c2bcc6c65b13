// Region: the bytes of its storage that a value occupies, if views of known sizes and strides determine them.
//
// A tensor in flight is often a slice of one buffer: two launches may fill two slices concurrently if these do not
// overlap. A region is the byte range from the first element to the last. So two slices by columns count as overlapping
// although they have no element in common; no backend communicates such slices without a copy.
//
// Example: for b with f32[8, 4][4, 1], slice(b, 0, 4, 8) is at bytes 64 to 128, and select(b, 0, 1) at 16 to 32.
//
// as_strided counts from the start of the storage, other views from that of the tensor. The two are distinguished,
// except for a tensor that an operator has just allocated, which begins where its storage does.
//
// Ownership: plain values. Failure: empty where a size, stride or index is no number, a tensor may have
// been given other elements in place before (as_strided_, resize_, set_; t_ and its like keep each
// element where it is), or the operator table does not state where the view begins. Cost: linear in
// the chain of views.
#pragma once

#include "ccgraph/ir/node.h"

#include <optional>

namespace ccgraph {

struct Region {
  /// The value at which the whole chain of views begins. Regions compare only with those of one base.
  const Node *base = nullptr;
  int64_t begin = 0;
  int64_t end = 0;
  /// counted from the start of the storage, not of the base
  bool fromStorage = false;
};

/// Returns the region of the value at the time when `reader` runs.
[[nodiscard]] std::optional<Region> regionOf(const Node &value, const Node &reader);

/// Returns true only if both are known to have no byte in common.
[[nodiscard]] inline bool disjoint(const std::optional<Region> &a, const std::optional<Region> &b) {
  return a && b && a->base == b->base && a->fromStorage == b->fromStorage && (a->end <= b->begin || b->end <= a->begin);
}

} // namespace ccgraph
