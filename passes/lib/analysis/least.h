// leastThat: the smallest number for which something holds that holds for every larger one too.
//
// Passes ask it how much more memory would let a node move: the questions that they can answer fast are
// of the kind "is there room with so much?".
//
// Ownership: none. Failure: none; the answer is `most` where nothing below it holds. Cost: as many
// questions as `most - least` has bits.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace ccgraph {

/// Of the numbers from `least` to `most`.
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
