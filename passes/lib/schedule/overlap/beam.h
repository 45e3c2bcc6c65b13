// beam: the best orders of a small program, by looking at many.
//
// What is alive depends on which steps were issued and not on their order, so states are sets of issued
// steps; each keeps the moments that no other way to the same set beats in all of them: of computation, of
// each stream, and of each completion that is still to come. Level by level, one step more, the states of the
// best bounds go on. Where none had to be left behind, the result is the optimum of all orders (without
// buckets).
//
//   bound of a state = the latest of: computation now + computation left; a stream's end + its transfers left
//
// Beam search over the dynamic programme of M. Held, R. Karp, "A Dynamic Programming Approach to
// Sequencing Problems" (J. SIAM 10, 1962).
//
// Ownership: plain values. Failure: empty for a program of more than 64 steps, or where no order fits the budget.
// Cost: steps * width * (steps that can be next).
#pragma once

#include "schedule/overlap/problem.h"

#include <optional>

namespace ccgraph::overlap {

struct BeamOptions {
  int64_t budget = unlimited;
  /// most states a level
  size_t width = 256;
};

struct BeamResult {
  Schedule schedule;
  /// no order is faster within the budget
  bool optimal = false;
};

[[nodiscard]] std::optional<BeamResult> beam(const Problem &problem, const BeamOptions &options);

} // namespace ccgraph::overlap
