// memoryCut: how little memory any order needs while one step runs, and what stands before it in an order that needs no
// more there.
//
// What the step needs stands before it in every order, what needs it after it; all else may be on either side, as long as
// nothing stands before what it needs; inputs stand in front, and the last step at the end. A storage is alive at the step where who makes it stands before and some holder
// after. The cheapest choice is a least cut between the two sides.
//
// Example: at the peak, s = sigmoid(a) is alive because the backward reads it. If a is alive anyhow, s may as well be
// computed after the peak; if a dies with s, it depends on which is larger.
//
// Ownership: plain values. Failure: none. Cost: linear in edges and holders, and a flow through what may be on either
// side.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

struct MemoryCut {
  /// no order needs less while the step runs
  int64_t bytes = 0;
  /// by step: stands before it; false for the step itself
  std::vector<bool> before;
};

[[nodiscard]] MemoryCut memoryCut(const Problem &problem, uint32_t step);

} // namespace ccgraph::overlap
