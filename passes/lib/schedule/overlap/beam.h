// beam: finds the best orders of a small program by a search over many orders.
//
// The live bytes depend on which steps were issued and not on their order, so states are sets of issued steps. Each set
// keeps the moments that no other order of the set improves in all components: the time of computation, of each stream,
// and of each collective that has not completed. At each level, one more step is issued, and the states of the best
// bounds continue. If no state was dropped, the result is the optimum of all orders (without buckets).
//
//   bound of a state = the latest of: computation now + computation left; a stream's end + its collectives left
//
// Beam search over the dynamic program of M. Held, R. Karp, "A Dynamic Programming Approach to Sequencing Problems" (J.
// SIAM 10, 1962).
//
// Ownership: plain values. Failure: an empty result for a program of more than 64 steps, or if no order fits the
// budget. Cost: steps * width * (steps that can be next).
#pragma once

#include "schedule/overlap/problem.h"

#include <optional>

namespace ccgraph::overlap {

struct BeamOptions {
  int64_t budget = unlimited;
  /// maximum number of states a level
  size_t width = 256;
};

struct BeamResult {
  Schedule schedule;
  /// no order is faster within the budget
  bool optimal = false;
};

/// Returns false if the program is too large for a beam.
[[nodiscard]] bool isSmallForBeam(const Problem &problem);

[[nodiscard]] std::optional<BeamResult> beam(const Problem &problem, const BeamOptions &options);

} // namespace ccgraph::overlap
