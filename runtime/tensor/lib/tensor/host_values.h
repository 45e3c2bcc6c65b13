// Host values: numbers and tensors as the caller of a run gives and gets them.
//
// A number crosses as a 0-d tensor: i64, f64, c128 or bool. Plain functions; a copy
// of a tensor is large. Cost: linear in the bytes.
#pragma once

#include "ccgraph/runtime/value.h"

namespace ccgraph::runtime {

/// Empty where the tensor can stand for no number.
[[nodiscard]] std::optional<Value> numberOf(const HostTensor &host);
/// What the caller's copy of it takes. It may be larger than a tensor's storage, of which an expanded tensor shows elements many
/// times.
[[nodiscard]] int64_t hostBytes(const Value &value);
/// The caller's copy of a tensor or number; empty for what is neither. Whoever takes it counts it.
[[nodiscard]] std::optional<HostTensor> hostValue(const Value &value);

} // namespace ccgraph::runtime
