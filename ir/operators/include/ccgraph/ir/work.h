// WorkFamily: the kind of work of an operator, as far as its time is concerned.
//
// The families are those of the rules that count work (OpDef::work): operators with the same way of counting have the
// same cost rule. They also distinguish operators that a compiler fuses into one kernel (data movement, elementwise
// operators, reductions) from operators that are always a kernel of their own.
//
// Pure functions of the table. Failure: none. Cost: a few comparisons.
#pragma once

#include "ccgraph/ir/op_def.h"

namespace ccgraph {

enum class WorkFamily : uint8_t {
  /// nothing runs: views, waits, getitem, allocations
  None,
  /// each element is one of an operand or a constant: cast, cat, clone, fill
  Movement,
  /// rows picked by indices
  Lookup,
  /// an operation an element
  Pointwise,
  /// sums, means, norms, softmax: each element of the result depends on many
  Reduction,
  MatMul,
  Convolution,
  Attention,
  /// any other kernel: sort, scatter, an optimizer's step
  Other,
  /// collectives, operators with subgraphs, and operators without a rule
  Uncounted,
};
/// "none", "movement", ...
[[nodiscard]] llvm::StringRef workFamilyName(WorkFamily family);

[[nodiscard]] WorkFamily workFamily(const OpDef &op);

/// Returns true for the operators that compilers fuse into one kernel. Lookups are included: they are read in place.
[[nodiscard]] bool isFusible(WorkFamily family);
/// Returns true for operators that run on matrix units: bound by operations if large enough.
[[nodiscard]] bool isProduct(WorkFamily family);

} // namespace ccgraph
