// NodeValues: the value of each node of one rank, as terms.
//
// Views, copies, joins, exact casts and constants only move terms. An elementwise operator makes one term for each
// stretch of elements. Any other operator is a call: its result is equal to that of another call if the operator, its
// numbers, and the elements, dtypes and layouts of its operands are. So a kernel may add in any order that depends on
// these alone.
//
// Ownership: borrows the table; values own their memory. Failure: `problem`, a text, for a node after which nothing
// can be said: a write through a view whose place is not known, a change of a tensor's shape, an operator with
// subgraphs. Cost: linear in the runs of the operands.
#pragma once

#include "held_value.h"

#include "ccgraph/numerics/compare_sums.h"

namespace ccgraph::numerics {

class NodeValues {
public:
  NodeValues(TermTable &table, SumOrder order, int64_t rank) : table_(table), order_(order), rank_(rank) {}

  /// Returns the value of a node that is no input, output or collective. `values` are those of its rank by node id.
  [[nodiscard]] HeldValue evaluate(const Node &node, llvm::ArrayRef<HeldValue> values);
  /// Returns the value of an input; `text` identifies it.
  [[nodiscard]] HeldValue input(const Node &node, const std::string &text);
  /// Returns a new tensor of a type, or an opaque value if its sizes are not numbers. `elements` are in row-major
  /// order.
  [[nodiscard]] HeldValue newValue(const Node &node, const Type *type, const RunList &elements);
  /// Replaces the elements of a tensor by others, given in row-major order.
  void store(const HeldValue &value, const RunList &elements);
  /// why nothing can be said; empty: no problem
  [[nodiscard]] const std::string &problem() const { return problem_; }
  void stop(const std::string &text) { problem_ = problem_.empty() ? text : problem_; }

private:
  [[nodiscard]] HeldValue getItem(const Node &node);
  [[nodiscard]] HeldValue waited(const Node &node);
  [[nodiscard]] HeldValue viewed(const Node &node);
  [[nodiscard]] HeldValue listOf(ResultList results);
  [[nodiscard]] HeldValue elementOf(const ResultList &results, size_t index, const Type *type);
  /// Returns the elements that the operator computes, in row-major order; empty: it is a call.
  [[nodiscard]] std::optional<RunList> computed(const Node &node);
  [[nodiscard]] std::optional<RunList> moved(const Node &node, llvm::StringRef base);
  [[nodiscard]] std::optional<RunList> constant(const Node &node, llvm::StringRef base);
  [[nodiscard]] std::optional<RunList> join(const Node &node, bool stacks);
  [[nodiscard]] std::optional<RunList> scatterSlice(const Node &node);
  [[nodiscard]] std::optional<RunList> pointwise(const Node &node, llvm::StringRef base);
  [[nodiscard]] std::optional<RunList> sumOfDims(const Node &node, llvm::StringRef base);
  [[nodiscard]] HeldValue call(const Node &node, bool isLoose);
  [[nodiscard]] std::string identify(const Node &node, std::vector<RunList> &operands);
  void writeResults(const Node &node, const ResultList &results);
  [[nodiscard]] HeldValue callValue(const Node &node, const ResultList &results, llvm::StringRef suffix,
                                    const Type *type);
  [[nodiscard]] const HeldValue *operandAt(const Node &node, int parameter) const;
  [[nodiscard]] const HeldTensor *tensorAt(const Node &node, int parameter) const;

  TermTable &table_;
  SumOrder order_;
  int64_t rank_;
  llvm::ArrayRef<HeldValue> values_;
  std::string problem_;
  /// of operators with a state: the last call that changed it
  std::string state_;
};

} // namespace ccgraph::numerics
