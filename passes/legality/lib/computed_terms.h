// ComputedTerms: the numbers of products and row functions among the terms of a chain (chain.h).
//
// A product or a row function of terms is a term itself. It has a number in place of a step, which no step has.
//
// Ownership: plain values. Failure: none. Cost: none.
#pragma once

#include "program.h"

#include <optional>

namespace ccgraph::legality {

/// A product, or a result of a row function, by its number among these.
struct Computed {
  uint32_t number = 0;
  bool isRows = false;
};

/// No program has so many steps that they meet these numbers, which are counted from above.
inline constexpr uint32_t firstComputed = none / 2;

/// Returns a number that no step has: products and row functions take turns.
[[nodiscard]] inline uint32_t computedStep(const Computed &computed) {
  return none - 1 - 2 * computed.number - (computed.isRows ? 1 : 0);
}

[[nodiscard]] inline std::optional<Computed> computedOf(uint32_t step) {
  if (step < firstComputed)
    return std::nullopt;
  return Computed{(none - 1 - step) / 2, (none - 1 - step) % 2 != 0};
}

} // namespace ccgraph::legality
