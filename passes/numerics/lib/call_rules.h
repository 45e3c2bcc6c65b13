// What an operator does, as far as errors and orders of sums are concerned.
//
// Ownership: values. Failure: an operator without a rule has Rule::Unknown. Cost: linear in the arguments.
#pragma once

#include "held_value.h"

#include "llvm/ADT/ArrayRef.h"

namespace ccgraph::numerics {

/// Returns the rule of an elementwise operator by its base ("aten.add").
[[nodiscard]] Rule ruleOfPointwise(llvm::StringRef base);
/// Returns the rule of a call, without its text: of a sum or mean over dimensions and of a product of matrices, with
/// the layouts of the operands.
[[nodiscard]] Operation ruleOfCall(const Node &node, llvm::ArrayRef<HeldValue> values);
/// Returns the dimensions that a sum or a mean adds, ascending; empty if it is neither or they are not numbers.
[[nodiscard]] std::optional<IntList> summedDims(const Node &node, size_t rank);

} // namespace ccgraph::numerics
