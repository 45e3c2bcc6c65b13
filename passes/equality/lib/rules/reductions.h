// Reductions that several rules use.
//
// Ownership: values. Failure: none; dimensions are those of Call::dimensions. Cost: one step for each element.
#pragma once

#include "axis.h"
#include "map.h"

namespace ccgraph::equality {

/// Returns the sums over the dimensions.
[[nodiscard]] Array sumOver(const Array &array, IntListRef dims, bool keeps);
/// Returns the sums divided by the number of summed elements.
[[nodiscard]] Array meanOver(Call &call, const Array &array, IntListRef dims, bool keeps);
/// Returns how many elements the dimensions have.
[[nodiscard]] int64_t countOf(IntListRef sizes, IntListRef dims);

} // namespace ccgraph::equality
