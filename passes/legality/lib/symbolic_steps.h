// SymbolicSteps: evaluates the steps of one entry, on one side of a rewrite, for every value of the symbols in its
// sizes.
//
// It visits the steps in program order, and notes which values are complete: all collectives that they depend on were
// waited for. What a value is, and how a step computes it, is defined by the two evaluations: of rows
// (symbolic_evaluation.h) and of columns (column_evaluation.h).
//
// Ownership: refers to the evidence, and adds to the findings. Failure: a step that cannot be evaluated has a finding,
// and no later step is evaluated. Cost: that of the evaluation.
#pragma once

#include "evaluation.h"

#include <string>

namespace ccgraph::legality {

/// The entry of a certificate that is checked.
struct SymbolicScope {
  const Evidence &evidence;
  uint32_t entry = 0;
  Findings &findings;
};

class SymbolicSteps {
public:
  /// Evaluates the steps, given in any order; returns false after a finding.
  [[nodiscard]] bool run(llvm::ArrayRef<uint32_t> steps);
  [[nodiscard]] bool isComplete(uint32_t step) const { return complete_.contains(step); }

protected:
  SymbolicSteps(const SymbolicScope &scope, Side side) : scope_(scope), side_(side) {}
  ~SymbolicSteps() = default;

  [[nodiscard]] const SymbolicScope &scope() const { return scope_; }
  [[nodiscard]] Side side() const { return side_; }
  [[nodiscard]] const Program &program() const {
    return side_ == Side::Before ? scope_.evidence.before : scope_.evidence.after;
  }
  /// Returns why the call is no functional collective on one tensor that is complete; empty if it is.
  [[nodiscard]] std::string whyNoExchange(const Call &call) const;

private:
  [[nodiscard]] virtual bool hasValue(uint32_t step) const = 0;
  /// Sets the value of a step outside the entry; returns why it has none, as "whose ...".
  [[nodiscard]] virtual std::string begin(uint32_t step) = 0;
  /// Sets the value of a step of the entry; returns why it has none. A step that is no collective has no effect beyond
  /// its result.
  [[nodiscard]] virtual std::string evaluate(uint32_t index, const Step &step) = 0;
  [[nodiscard]] std::string beginOperands(const Step &step, llvm::ArrayRef<uint32_t> steps);
  [[nodiscard]] std::string visit(uint32_t index, const Step &step);

  const SymbolicScope &scope_;
  Side side_;
  llvm::DenseSet<uint32_t> complete_;
};

/// The operator of a step; empty if it calls none.
[[nodiscard]] inline llvm::StringRef operatorOf(const Step &step) {
  return step.op ? step.op->target.str() : llvm::StringRef();
}
/// Returns the positional argument of this number; null if there is none.
[[nodiscard]] inline const Argument *positional(const Step &step, size_t number) {
  return number < step.arguments->positional.size() ? &step.arguments->positional[number] : nullptr;
}
[[nodiscard]] inline bool isLeftOut(const Argument *argument) {
  return !argument || argument->is(Argument::Kind::None);
}
/// Returns the dimension that an argument states, of so many, counted from 0; the first one if it is left out.
[[nodiscard]] std::optional<size_t> dimensionOf(const Argument *argument, size_t rank);

} // namespace ccgraph::legality
