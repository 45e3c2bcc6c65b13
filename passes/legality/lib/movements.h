// Movements: what the operators that only move data do to layouts.
//
// One table, operator to rule; an operator that is not in it moves data in a way that the checker
// cannot follow, and a bucket that uses it is refused. So a pass that spells buckets with another
// operator needs a row here first.
//
// An example: of x = f32[2, 3], select(x, 0, 1) is the run x[3, 6), the second row; and
// transpose(x, 0, 1) is the six runs x[0, 1) x[3, 4) x[1, 2) x[4, 5) x[2, 3) x[5, 6).
//
// Ownership: layouts share their runs. Failure: empty where the call is malformed, its arguments
// are not literals, or the value would fall into too many pieces; the bucket then reports it. Cost:
// a search by name, and the runs made.
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
using MovementRule = std::optional<Contents> (*)(const Movement &);
/// Null for an operator that moves data in no way that is known here.
[[nodiscard]] MovementRule movementOf(llvm::StringRef target);

} // namespace ccgraph::legality
