// Region: which bytes of its storage a value occupies, where views of known sizes and strides tell.
//
// What flies is often a slice of one buffer: two launches may fill two slices at once, as long as
// these do not overlap. A region is the stretch of bytes from the first element to the last, so two
// slices by columns count as overlapping, though none of their elements is the same; no backend
// communicates such slices without a copy.
//
// Example: of b with f32[8, 4][4, 1], slice(b, 0, 4, 8) is at bytes 64 to 128, and select(b, 0, 1) at 16 to 32.
//
// as_strided counts from the beginning of the storage, other views from that of the tensor. The two are
// told apart, but for a tensor that an operator has just made, which begins where its storage does.
//
// Ownership: plain values. Failure: empty where a size, stride or index is no number, a tensor may have
// been given other elements in place before (as_strided_, resize_, set_; t_ and its like keep each
// element where it is), or the view is of another kind than those listed in region.cpp. Cost: linear in
// the chain of views.
#pragma once

#include "ccgraph/ir/node.h"

#include <optional>

namespace ccgraph {

struct Region {
  /// The value that all of a chain of views begins at. Regions compare only with those of one base.
  const Node *base = nullptr;
  int64_t begin = 0;
  int64_t end = 0;
  /// counted from the storage's beginning, and not from the base's
  bool fromStorage = false;
};

/// As the value is where `reader` runs.
[[nodiscard]] std::optional<Region> regionOf(const Node &value, const Node &reader);

/// True only if both are known to have no byte in common.
[[nodiscard]] inline bool disjoint(const std::optional<Region> &a, const std::optional<Region> &b) {
  return a && b && a->base == b->base && a->fromStorage == b->fromStorage && (a->end <= b->begin || b->end <= a->begin);
}

} // namespace ccgraph
