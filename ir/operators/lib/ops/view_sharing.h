// When is a new shape, or a copy, a view? PyTorch's answer, from the types of a call alone.
//
// Ownership: results are values. Nothing fails: where sizes or strides are not numbers the answer is empty or
// Sharing::Unknown. Cost: linear in the numbers of dimensions.
#pragma once

#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/strides.h"

namespace ccgraph {

/// Strides of a view of `from` with sizes `to`, all static and of equal element count; empty if only a copy has that
/// shape.
[[nodiscard]] std::optional<IntList> viewStrides(const Type &from, IntListRef to);

/// Is the first operand of this reshape shared by its result?
[[nodiscard]] Sharing reshapeSharing(const Node &node);
/// The same of contiguous().
[[nodiscard]] Sharing contiguousSharing(const Node &node);
/// The same for to(), type_as() and device_put(): no copy if dtype, device and layout stay, unless the call requests
/// one.
[[nodiscard]] Sharing castSharing(const Node &node);

} // namespace ccgraph
