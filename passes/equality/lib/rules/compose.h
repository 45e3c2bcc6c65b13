// Rules that apply rules: operators that are taken apart into others.
//
// Ownership: values. Failure: a problem of an applied rule is one of the call; its result is then a zero. Cost: that of
// the applied rules.
#pragma once

#include "map.h"

namespace ccgraph::equality {

/// Applies the rule of another operator, which has one result.
[[nodiscard]] Array applied(Call &call, llvm::StringLiteral base, std::vector<Value> arguments);
[[nodiscard]] Array minus(Call &call, const Array &a, const Array &b);
[[nodiscard]] Array times(Call &call, const Array &a, const Array &b);
[[nodiscard]] Array exponential(Call &call, const Array &a);
/// Sums along a dimension, which stays with size 1.
[[nodiscard]] Array lineSums(const Array &a, int64_t dim);

} // namespace ccgraph::equality
