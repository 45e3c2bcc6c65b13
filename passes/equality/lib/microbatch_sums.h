// MicrobatchSums: which values of the ranks are terms that single microbatches contribute to a sum.
//
// The gradient of a weight is a sum over all rows, so that of one microbatch is no value of the single graph. It is a
// term of what the single graph computes from all rows if it is the same operator of the same operands, of which some
// are microbatch i of what the single graph has: mm(t(g_i), x_i) is term i of mm(t(g), x). Sums of different terms are
// such sums too.
//
// Ownership: values. Failure: none. Cost: linear in the calls of one operator for each node.
#pragma once

#include "correspondence.h"

#include <map>
#include <set>

namespace ccgraph::equality {

/// Terms of one value of the single graph.
struct MicrobatchTerms {
  /// names the value
  uint64_t sum = 0;
  /// the microbatches whose terms are in
  std::set<int64_t> microbatches;
};

/// What one operand is.
struct TermOperand {
  const Match *match = nullptr;
  /// content of the operand of the single graph's call
  uint64_t contentOfSingle = 0;
};
/// Returns the microbatch whose term a call is, by its operands and those of a call of the single graph; empty if some
/// operand is another value, or another microbatch than the others, or if none is a microbatch.
[[nodiscard]] std::optional<int64_t> microbatchOfTerm(llvm::ArrayRef<TermOperand> operands);

/// Returns the sum of both; empty if they are terms of different values, or if a term is in both.
[[nodiscard]] std::optional<MicrobatchTerms> sumOfTerms(const MicrobatchTerms &a, const MicrobatchTerms &b);

} // namespace ccgraph::equality
