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

/// Lines of elements, and what was subtracted from each. Where all elements of a line are masked by the lowest number
/// of a dtype, a softmax is that of equal elements, since lowest - lowest = 0. The shift of such a line is the lowest
/// number, and that of any other line is 0.
struct ShiftedLines {
  Array values;
  /// with size 1 in the dimensions of the lines
  Array shifts;
};
[[nodiscard]] ShiftedLines shiftedLines(Call &call, const Array &a, IntListRef dims);
/// Returns log(sum(exp(a))) along the dimensions of lines.
[[nodiscard]] Array logSumOfLines(Call &call, const Array &a, IntListRef dims, bool keeps);

} // namespace ccgraph::equality
