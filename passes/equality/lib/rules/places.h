// Places: which elements of a tensor a list of indices names.
//
// Ownership: values. Failure: an index outside its dimension, or a form without a rule, rejects the call. Cost: one
// step for each named element.
#pragma once

#include "map.h"

namespace ccgraph::equality {

/// Returns an index from 0; rejects one that is outside.
[[nodiscard]] int64_t indexOf(Call &call, int64_t index, int64_t size);
/// Returns an argument that holds indices; rejects floats.
[[nodiscard]] Array indicesOf(Call &call, size_t position);

} // namespace ccgraph::equality
