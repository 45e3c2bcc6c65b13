// fillStalls: the same schedule with computation that stands later moved into the stalls before it.
//
// A walk fills a stall with what it kept back, that is, with what stood before. Where a program stalls again and again with
// nothing behind it to catch up on (the forward of a tensor-parallel program), there may be something ahead that does not
// need what the program waits for: what the backward recomputes of the forward's values.
//
//   before   a = mm(x); c = all_gather(a); w = wait(c) ...; loss; s = sigmoid(a); g = mul(grad, s)
//   after    a = mm(x); c = all_gather(a); s = sigmoid(a); w = wait(c) ...; loss; g = mul(grad, s)
//
// Stalls are filled in the order of the program, each with what comes first of all that could run there and is short enough.
// What is made too early is held for longer, and what it reads perhaps less long, so a stall keeps as much of its filling,
// from the front, as fits the memory. Whether the step is shorter in the end, when computation that covered a transfer is
// gone, a replay tells.
//
// Ownership: plain values. Failure: none. Cost: linear in edges, O(log n) for each holder of each move, at most some dozens
// of moves a stall.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

/// `budget`: bytes that no move may go over. Does not look at Schedule::picoseconds and peakBytes, and does not set them.
[[nodiscard]] Schedule fillStalls(const Problem &problem, Schedule schedule, int64_t budget);

} // namespace ccgraph::overlap
