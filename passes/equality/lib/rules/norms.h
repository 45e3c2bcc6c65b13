// Parts of norms that several rules use.
//
// Ownership: values. Failure: that of the applied rules. Cost: some steps for each element.
#pragma once

#include "rules/compose.h"

namespace ccgraph::equality {

/// Whether a norm subtracts the mean.
enum class Centering : uint8_t { None, Mean };

/// The squares; they keep the law sqrt(x)^2 = x.
[[nodiscard]] Array squareOf(Call &call, const Array &a);
/// Returns 1 / sqrt(a + epsilon).
[[nodiscard]] Array reciprocalRoot(Call &call, const Array &a, double epsilon);

struct NormGradient {
  /// of the normalized values
  Array gradient;
  /// (x - mean) * rstd
  Array normal;
  Array rstd;
};
/// Returns rstd * (g - mean(g) - normal * mean(g * normal)), the gradient of the input of a norm over dimensions;
/// without centering, mean(g) is not subtracted.
[[nodiscard]] Array normGradient(Call &call, const NormGradient &of, IntListRef dims, Centering centering);

} // namespace ccgraph::equality
