// SymbolicEvaluation: what the nodes of one entry hold, on one side of a rewrite, for every value of a symbol.
//
// It is Evaluation (evaluation.h) for rows whose number depends on a symbol. A node whose result is a number, such as
// sym_size or floordiv, has a quantity as its value.
//
// Ownership: refers to the evidence and to the terms, which both sides share. Failure: a node that cannot be evaluated
// has a finding, and no later node is evaluated. Cost: the runs made, times the period of the sizes.
#pragma once

#include "symbolic_steps.h"
#include "symbolic_terms.h"

namespace ccgraph::legality {

/// What both sides of an entry share.
struct SymbolicRowScope {
  SymbolicScope of;
  SymbolicTerms terms = {};
  std::string symbol = {}; ///< the only one; empty so far
};

class SymbolicEvaluation final : public SymbolicSteps {
public:
  SymbolicEvaluation(SymbolicRowScope &scope, Side side) : SymbolicSteps(scope.of, side), scope_(scope) {}
  /// Returns the value of a tensor with rows; null if the step has none.
  [[nodiscard]] const RowValue *valueOf(uint32_t step) const;

private:
  /// A tensor with fewer than two dimensions, whose sizes are numbers: the same for every row.
  struct SameForRows {
    uint32_t step = 0; ///< of the program after
    IntList sizes;
  };
  using Value = std::variant<RowValue, Quantity, SameForRows, SymbolicTerms::RowValues>;
  using Outcome = std::variant<Value, std::string>;
  [[nodiscard]] bool hasValue(uint32_t step) const override { return values_.count(step) != 0; }
  [[nodiscard]] std::string begin(uint32_t step) override;
  [[nodiscard]] std::string evaluate(uint32_t index, const Step &step) override;
  [[nodiscard]] std::optional<Value> initial(uint32_t operand);
  [[nodiscard]] std::optional<Value> initialRows(uint32_t operand, uint32_t common);
  [[nodiscard]] Outcome valueFor(uint32_t index, const Step &step);
  [[nodiscard]] Outcome exchanged(uint32_t index);
  [[nodiscard]] Outcome computed(const Step &step);
  [[nodiscard]] std::optional<Value> product(const Step &step);
  [[nodiscard]] std::optional<Value> slice(const Step &step);
  [[nodiscard]] std::optional<Value> view(const Step &step);
  [[nodiscard]] std::optional<Value> reshape(const Step &step);
  [[nodiscard]] std::optional<Value> resizedValue(const Step &step, bool mayCopy);
  [[nodiscard]] std::optional<Value> unsqueeze(const Step &step);
  [[nodiscard]] std::optional<Value> squeeze(const Step &step);
  [[nodiscard]] std::optional<Value> cat(const Step &step);
  [[nodiscard]] Outcome rowCall(const Step &step);
  [[nodiscard]] std::optional<Value> element(const Step &step);
  [[nodiscard]] std::optional<Value> sizeOf(const Step &step);
  [[nodiscard]] std::optional<Value> arithmetic(const Step &step);
  /// Returns the value of the operand of this number.
  [[nodiscard]] const RowValue *tensor(const Step &step, size_t operand) const;
  /// Returns the number that an argument is: a literal, or the value of a node.
  [[nodiscard]] std::optional<Quantity> quantity(const Step &step, const Argument *argument);
  [[nodiscard]] std::optional<Quantity> quantity(const Dim &size) { return Quantity::of(size, scope_.symbol); }
  [[nodiscard]] std::optional<Quantities> quantities(llvm::ArrayRef<Dim> sizes);
  /// Returns the sizes that a view states, of which one may be -1.
  [[nodiscard]] std::optional<Quantities> sizesOfView(const Step &step, const RowValue &value);
  [[nodiscard]] bool fitsType(const Step &step, const Value &value);

  SymbolicRowScope &scope_;
  llvm::DenseMap<uint32_t, Value> values_; ///< by step
  /// step of this side -> step after, of values that both programs have
  llvm::DenseMap<uint32_t, uint32_t> common_;
};

} // namespace ccgraph::legality
