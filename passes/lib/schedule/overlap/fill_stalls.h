// fillStalls: moves later computation of a schedule into earlier stalls.
//
// A trial schedule fills a stall with deferred computation, which comes from before the stall. Some programs stall
// repeatedly without any deferred computation (the forward pass of a tensor-parallel program). There may be later
// computation that does not depend on the awaited result: values of the forward pass that the backward pass recomputes.
//
//   before   a = mm(x); c = all_gather(a); w = wait(c) ...; loss; s = sigmoid(a); g = mul(grad, s)
//   after    a = mm(x); c = all_gather(a); s = sigmoid(a); w = wait(c) ...; loss; g = mul(grad, s)
//
// Stalls are filled in program order, each with the first steps that could run there and are short enough. A hoisted
// result is live for longer, and its inputs possibly for less time. So a stall keeps as many of its hoisted steps, from
// the front, as fit the memory. A replay decides whether the step is shorter in the end, since computation that
// overlapped a collective has moved away.
//
// Ownership: plain values. Failure: none. Cost: linear in edges, O(log n) for each holder of each move, at most some
// dozens of moves a stall.
#pragma once

#include "schedule/overlap/budget.h"

namespace ccgraph::overlap {

/// `budget`: bytes that no move may exceed. Neither reads nor sets Schedule::picoseconds and peakBytes.
[[nodiscard]] Schedule fillStalls(const Problem &problem, Schedule schedule, Budget budget);

} // namespace ccgraph::overlap
