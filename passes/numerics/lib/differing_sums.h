// DifferingSums: where the terms of one output part, and what this means for its error.
//
// A term *parts* if only one program makes it although both make all of its operands, or these are inputs: there the
// arithmetic of the two first differs. The difference of an output is bounded by the errors of both expressions on
// common leaves: on terms that both programs make, if the two are equal functions of these, else on the terms that no
// rule opens.
//
// Ownership: borrows the table. Failure: none; what is not known is empty. Cost: linear in the terms of the output.
#pragma once

#include "terms.h"

#include "ccgraph/numerics/compare_sums.h"

#include "llvm/ADT/SmallVector.h"

#include <functional>

namespace ccgraph::numerics {

class DifferingSums {
public:
  /// The elements of one output, in one order.
  DifferingSums(const TermTable &table, const RunList &before, const RunList &after);
  /// Fills in the cause, the sums and the bounds.
  void describe(ComparedOutput &output, DType dtype) const;

private:
  /// By term: the stretches of its elements on which the output depends.
  using Set = std::vector<llvm::SmallVector<Run, 1>>;
  [[nodiscard]] static bool isIn(const Set &set, TermId term) { return !set[term].empty(); }
  [[nodiscard]] Set reachableFrom(const RunList &elements) const;
  [[nodiscard]] std::vector<TermId> parting(const Set &mine, const Set &other) const;
  [[nodiscard]] std::vector<SumPlace> places(llvm::ArrayRef<TermId> terms, Side side) const;
  [[nodiscard]] std::string cause(llvm::ArrayRef<TermId> before, llvm::ArrayRef<TermId> after) const;
  [[nodiscard]] bool areEqualFunctions(const std::function<bool(TermId)> &isLeaf, uint64_t seed) const;
  void bound(ComparedOutput &output, DType dtype) const;

  const TermTable &table_;
  const RunList &before_, &after_;
  Set ofBefore_, ofAfter_;
};

/// Returns what an operation is: "sum over ranks 0, 1 and 2 of 64 elements in bf16".
[[nodiscard]] std::string operationText(const Operation &operation, const Node *node);

} // namespace ccgraph::numerics
