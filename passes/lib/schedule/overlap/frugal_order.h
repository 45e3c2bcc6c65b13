// lowMemoryOrder: an order of a program that needs less memory at its peak, and the program in that order.
//
// At the peak, each step that may stand on either side of it is put where a least cut has it (memory_cut.h): what the
// backward wants and the forward does not is computed after the loss, if what it reads is alive anyhow or is smaller.
// Done again for the new peak, a few times; on each side the order stays. What the cuts say of every order is the floor; where
// it is below the peak that was found, some steps of the longest chain are asked too, which much of the program depends on.
//
//   before   a = mm(x); s = sigmoid(a); b = a * 2; loss(b) ...; grad(s, a)
//   after    a = mm(x); b = a * 2; loss(b) ...; s = sigmoid(a); grad(s, a)       s is not alive at the loss
//
// Ownership: plain values. Failure: none. Cost: that of some cuts.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

struct FrugalOrder {
  /// all steps; as the program has them where nothing is saved
  std::vector<uint32_t> order;
  /// bytes of its peak
  int64_t peak = 0;
  /// no order needs less, in bytes, because of what is alive at this step
  int64_t floor = 0;
  uint32_t floorAt = 0;
};
[[nodiscard]] FrugalOrder lowMemoryOrder(const Problem &problem);

/// The same program with its steps numbered in this order: step i is step order[i] of the problem, which must outlive it.
[[nodiscard]] Problem renumbered(const Problem &problem, const std::vector<uint32_t> &order);

} // namespace ccgraph::overlap
