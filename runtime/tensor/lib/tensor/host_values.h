// Host values: numbers and tensors as the caller of a run gives and gets them.
//
// A number crosses as a 0-d tensor: i64, f64, c128 or bool. Plain functions; a copy
// of a tensor is large. Cost: linear in the bytes.
#pragma once

#include "ccgraph/runtime/value.h"

namespace ccgraph::runtime {

/// Returns the number in a tensor; nothing where it cannot be one.
[[nodiscard]] std::optional<Value> numberOf(const HostTensor &host);
/// Returns the bytes of the caller's copy. It may be larger than a tensor's storage, since an expanded tensor repeats
/// elements.
[[nodiscard]] int64_t hostBytes(const Value &value);
/// Returns the caller's copy of a tensor or number; nothing for other values. The code that takes the copy counts its
/// bytes.
[[nodiscard]] std::optional<HostTensor> hostValue(const Value &value);

} // namespace ccgraph::runtime
