// WorkFamily: what kind of work an operator does, as far as time is concerned.
//
// The families are those of the rules that count work (OpDef::work): operators whose work is counted
// alike are priced alike. What a compiler makes one kernel of, moves and computes element by element or
// reduces, is told from what stays a kernel of its own.
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
  /// sums, means, norms, softmax: each element of the result is of many
  Reduction,
  MatMul,
  Convolution,
  Attention,
  /// any other kernel: sort, scatter, an optimizer's step
  Other,
  /// collectives, operators with subgraphs, and what nothing is known of
  Uncounted,
};
/// "none", "movement", ...
[[nodiscard]] llvm::StringRef workFamilyName(WorkFamily family);

[[nodiscard]] WorkFamily workFamily(const OpDef &op);

/// Where compilers make one kernel of several operators, these are the ones. Lookups are among them: they are read in
/// place.
[[nodiscard]] bool isFusible(WorkFamily family);
/// Bound by operations where large enough: what runs on matrix units.
[[nodiscard]] bool isProduct(WorkFamily family);

} // namespace ccgraph
