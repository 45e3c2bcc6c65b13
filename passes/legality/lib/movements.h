// Movements: the effect of operators that only move data on layouts.
//
// One table maps operators to rules. The checker cannot evaluate an operator that is not in the table, and rejects a
// bucket that uses it. A pass that builds buckets with another operator first needs a row here.
//
// Example: for x = f32[2, 3], select(x, 0, 1) is the run x[3, 6), the second row; and transpose(x, 0, 1) is the six
// runs x[0, 1) x[3, 4) x[1, 2) x[4, 5) x[2, 3) x[5, 6).
//
// Ownership: layouts share their runs. Failure: an empty result if the call is malformed, its arguments are not
// literals, or the value would need too many runs; the bucket then reports it. Cost: a search by name, and the runs
// made.
#pragma once

#include "layout.h"
#include "program.h"

namespace ccgraph::legality {

/// A value: one tensor, or the elements of a list.
struct Contents {
  llvm::SmallVector<Layout, 1> elements;
  bool isList = false;
};

/// A call of an operator that moves data, with the values of its tensor operands in order of mention.
struct Movement {
  const Step &step;
  llvm::ArrayRef<const Contents *> operands;
};
/// Returns true for an operator that only gives another order to the dimensions.
[[nodiscard]] bool isPermutation(const Step &step);
/// Returns the value of a permutation, in the order of its operand's runs. Cost: none, whatever the sizes.
[[nodiscard]] std::optional<Contents> permutedOf(const Movement &movement);

using MovementRule = std::optional<Contents> (*)(const Movement &);
/// Returns null for an operator whose data movement is unknown here.
[[nodiscard]] MovementRule movementOf(llvm::StringRef target);

} // namespace ccgraph::legality
