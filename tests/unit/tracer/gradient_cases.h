// Defines programs whose gradients are compared with finite differences: at least one for each rule.
//
// Ownership: a table that lives as long as the program. Failure: none. Cost: none.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstddef>

namespace ccgraph::test {

/// A program whose result `y` is differentiated with respect to each input of f64. Inputs whose names begin with `p`
/// are positive; those of i64 are 0, 1, 0, 1, ...
struct GradientCase {
  const char *name;
  const char *text;
  size_t ranks = 1;
};

[[nodiscard]] llvm::ArrayRef<GradientCase> gradientCases();

} // namespace ccgraph::test
