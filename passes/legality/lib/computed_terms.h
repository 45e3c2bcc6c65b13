// ComputedTerms: the numbers of products, row functions and totals among the terms of a chain (chain.h).
//
// A product, a row function or a total of terms is a term itself. It has a number in place of a step, which no step
// has.
//
// Ownership: plain values. Failure: none. Cost: none.
#pragma once

#include "program.h"

#include <optional>

namespace ccgraph::legality {

/// A product, a result of a row function or a total, by its number among these.
struct Computed {
  enum class Kind : uint8_t { Product, Rows, Total } kind = Kind::Product;
  uint32_t number = 0;
};

/// No program has so many steps that they meet these numbers, which are counted from above.
inline constexpr uint32_t firstComputed = none / 2;

/// Returns a number that no step has: the kinds take turns.
[[nodiscard]] inline uint32_t computedStep(const Computed &computed) {
  return none - 1 - 3 * computed.number - static_cast<uint32_t>(computed.kind);
}

[[nodiscard]] inline std::optional<Computed> computedOf(uint32_t step) {
  if (step < firstComputed)
    return std::nullopt;
  const uint32_t number = none - 1 - step;
  return Computed{static_cast<Computed::Kind>(number % 3), number / 3};
}

} // namespace ccgraph::legality
