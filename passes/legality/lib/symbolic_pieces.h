// SymbolicPieces: checks entries of the rule equal-pieces whose sizes depend on a symbol.
//
// Both programs are evaluated once, for every value of the symbol. An entry cuts rows or columns. If a new node slices
// or concatenates the last dimension, or exchanges dimensions, the entry cuts columns (lines.h), whose number is no
// symbol: sizes are only compared, and may be any expressions.
//
// Otherwise it cuts rows (symbolic_rows.h), whose number depends on one symbol. The nodes of such an entry may be
// products of matrices, all_reduce, all_gather and reduce_scatter on one group, calls that compute row by row, waits,
// views, slices and concatenations of rows, and arithmetic on sizes. Any other node is a finding.
//
// The number of rows that a matched collective sends must determine the value of the symbol. Then all ranks of its
// group have the same value, because the collective requires equal sizes on all of them, and pieces whose ends are
// computed from the symbol have equal sizes too.
//
// Ownership: refers to the evidence, and adds to the findings. Failure: findings. Cost: the runs made, times the period
// of the sizes.
#pragma once

#include "checks.h"
#include "symbolic_terms.h"

namespace ccgraph::legality {

/// An entry, and how many values it replaces.
struct SymbolicEntry {
  uint32_t entry = 0;
  size_t values = 0;
  /// of the group; empty if no file states them
  std::optional<int64_t> ranks;
};

/// Returns true if a node of the entry has a size that is no number.
[[nodiscard]] bool hasSymbolicSizes(const Evidence &evidence, uint32_t entry);
void checkSymbolicPieces(const Evidence &evidence, const SymbolicEntry &entry, Findings &findings);

} // namespace ccgraph::legality
