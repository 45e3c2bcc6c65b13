// ColumnEvaluation: what the nodes of one entry hold, on one side of a rewrite, that cuts columns of products with
// symbolic sizes.
//
// A value is a list of runs of lines (lines.h). A value from outside the entry has its columns or its rows as lines,
// whichever its reader needs.
//
// Ownership: refers to the evidence and to the terms, which both sides share. Failure: a node that cannot be evaluated
// has a finding, and no later node is evaluated. Cost: the runs made.
#pragma once

#include "line_terms.h"
#include "symbolic_steps.h"

namespace ccgraph::legality {

/// What both sides of an entry share.
struct ColumnScope {
  SymbolicScope of;
  LineTerms terms;
};

class ColumnEvaluation final : public SymbolicSteps {
public:
  ColumnEvaluation(ColumnScope &scope, Side side) : SymbolicSteps(scope.of, side), scope_(scope) {}
  /// Returns the value of a step of the entry; null if it has none.
  [[nodiscard]] const LineValue *valueOf(uint32_t step) const;

private:
  /// A value of both programs.
  struct Common {
    uint32_t step = 0; ///< of the program after
    const Type *type = nullptr;
  };
  using Value = std::variant<LineValue, Common>;
  using Outcome = std::variant<LineValue, std::string>;
  [[nodiscard]] bool hasValue(uint32_t step) const override { return values_.count(step) != 0; }
  [[nodiscard]] std::string begin(uint32_t step) override;
  [[nodiscard]] std::string evaluate(uint32_t index, const Step &step) override;
  [[nodiscard]] Outcome valueFor(uint32_t index, const Step &step);
  [[nodiscard]] Outcome exchanged(uint32_t index);
  [[nodiscard]] Outcome computed(const Step &step);
  [[nodiscard]] std::optional<LineValue> product(const Step &step);
  [[nodiscard]] std::optional<LineValue> function(const Step &step);
  [[nodiscard]] std::optional<LineValue> slice(const Step &step);
  [[nodiscard]] std::optional<LineValue> cat(const Step &step);
  [[nodiscard]] std::optional<LineValue> view(const Step &step);
  [[nodiscard]] std::optional<LineValue> permute(const Step &step);
  /// Returns an operand as lines of this kind; a value of the entry has only one kind.
  [[nodiscard]] std::optional<LineValue> lines(const Step &step, size_t operand, LineAxis axis);
  /// Returns an operand that is a value of the entry, with whatever lines it has.
  [[nodiscard]] const LineValue *inner(const Step &step, size_t operand) const;
  [[nodiscard]] const Common *common(const Step &step, size_t operand) const;
  [[nodiscard]] std::optional<DimList> sizesOfView(const Step &step) const;
  [[nodiscard]] bool fitsType(const Step &step, const LineValue &value) const;
  [[nodiscard]] Context &context() const { return scope_.of.evidence.rewrite.graph.context(); }

  ColumnScope &scope_;
  llvm::DenseMap<uint32_t, Value> values_; ///< by step
};

} // namespace ccgraph::legality
