// contraction: a problem in which earlier steps take the place of some steps.
//
// This is the problem of the program after a repeated collective was removed, without the rewrite itself: what reads a
// dropped step reads its replacement, and the storages of the two are one.
//
// Ownership: plain values; the functions of the result refer to those of the problem. Failure: none.
// Cost: linear in steps, edges and holders.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

/// The number of a step or storage, and that of the one which takes its place.
struct Replacement {
  uint32_t dropped = 0;
  uint32_t by = 0;
};

struct Replacements {
  /// the replacement is an earlier step that remains
  std::vector<Replacement> steps;
  /// Storages of results of dropped steps. The replacement remains.
  std::vector<Replacement> storages;
};

/// Steps keep their order and get new numbers, without gaps; storages keep their numbers.
[[nodiscard]] Problem contract(const Problem &problem, const Replacements &replacements);

} // namespace ccgraph::overlap
