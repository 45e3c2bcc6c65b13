// lowMemoryOrder: computes an order of a program with a lower memory peak.
//
// Each step that may be on either side of the peak is put on the side that a minimum cut selects (memory_cut.h). A
// value that only the backward pass needs is computed after the loss if its inputs are live anyway or are smaller. This
// is repeated for the new peak, a few times; the order on each side stays. The cuts also give a floor for every order.
// If the floor is below the peak found, some steps of the longest chain, on which much of the program depends, are cut
// too.
//
//   before   a = mm(x); s = sigmoid(a); b = a * 2; loss(b) ...; grad(s, a)
//   after    a = mm(x); b = a * 2; loss(b) ...; s = sigmoid(a); grad(s, a)       s is not live at the loss
//
// Ownership: plain values. Failure: none. Cost: that of some cuts.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

struct LowMemoryOrder {
  /// all steps; the program's own order if no memory is saved
  std::vector<uint32_t> order;
  /// bytes of its peak
  int64_t peak = 0;
  /// minimum bytes of any order, because of the bytes that are live at `floorAt`
  int64_t floor = 0;
  uint32_t floorAt = 0;
};
[[nodiscard]] LowMemoryOrder lowMemoryOrder(const Problem &problem);

} // namespace ccgraph::overlap
