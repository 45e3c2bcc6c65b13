// leastThat: binary search for the smallest number that satisfies a monotone predicate.
//
// Passes use it to compute how much more memory would allow a move, because they can quickly test whether a given
// amount is enough.
//
// Ownership: none. Failure: none; returns `most` if no smaller number satisfies the predicate. Cost: as many tests as
// `most - least` has bits.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace ccgraph {

/// Searches the numbers from `least` to `most`; `holds` must be true for every number above the result.
inline int64_t leastThat(int64_t least, int64_t most, llvm::function_ref<bool(int64_t)> holds) {
  while (least < most) {
    int64_t middle = least + (most - least) / 2;
    if (holds(middle))
      most = middle;
    else
      least = middle + 1;
  }
  return least;
}

} // namespace ccgraph
