// memoryCut: computes the minimum memory of any order while one step runs, and the steps before it in such an order.
//
// In every order, the step's dependences come before it and its dependents after it. All other steps may be on either
// side, as long as none precedes its own dependences; inputs come first, and the last step stays last. A storage is
// live at the step if its allocation comes before and some holder after. The cheapest choice is a minimum cut between
// the two sides.
//
// Example: at the peak, s = sigmoid(a) is live because the backward pass reads it. If a is live anyway, s can be
// computed after the peak; if a dies with s, the larger of the two decides.
//
// Ownership: plain values. Failure: none. Cost: linear in edges and holders, and a flow through the steps that may be
// on either side.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

struct MemoryCut {
  /// minimum of any order while the step runs
  int64_t bytes = 0;
  /// by step: true if it comes before; false for the step itself
  std::vector<bool> before;
};

[[nodiscard]] MemoryCut memoryCut(const Problem &problem, uint32_t step);

} // namespace ccgraph::overlap
