// Whether two windows have no byte in common: slices by columns have none, though they lie between one another.
//
// Plain function. Failure: none. Cost: two steps a dimension for windows that a slice or a permutation makes, and never
// more than some thousand: beyond that the answer is no.
#pragma once

#include "ccgraph/runtime/tensor.h"

namespace ccgraph::runtime::cuda {

/// True only where it is so for certain.
[[nodiscard]] bool areApart(const Tensor &a, const Tensor &b);

} // namespace ccgraph::runtime::cuda
