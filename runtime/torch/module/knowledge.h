// Facts about PyTorch's operators beyond their schemas: from their tags, and about their kernels.
//
// Ownership: plain functions. Failure: none. Cost: a walk over a schema.
#pragma once

#include "torch/torch_calls.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>

namespace ccgraph::runtime {

/// The overload that does what `schema` does and writes its results to parameters that `schema` lacks.
[[nodiscard]] bool writesResultsOf(const c10::FunctionSchema &candidate, const c10::FunctionSchema &schema);
/// Returns whether all results, except numbers beside tensors, are in memory.
[[nodiscard]] bool yieldsTensors(const c10::FunctionSchema &schema);
/// Its `out` overloads are not to be used.
[[nodiscard]] bool outputsAreWrong(const c10::FunctionSchema &schema);
/// Its operands must have no gaps in their last dimension.
[[nodiscard]] bool packsLastDimension(const c10::FunctionSchema &schema);
/// Returns the parameter that controls randomness: nothing is random where it is 0 or false; -1 where the operator
/// draws no numbers.
[[nodiscard]] int randomnessOf(const c10::OperatorHandle &op);
/// It can be called with values, and then does the same each time.
[[nodiscard]] bool isCallable(const c10::OperatorHandle &op);
/// See TorchOperator::whatHostReads().
[[nodiscard]] const char *whatHostReads(const c10::OperatorHandle &op, const TorchArgument *arguments, size_t count);

} // namespace ccgraph::runtime
