// ResultPlace: where a step's result goes, and how it gets there.
//
// A result that the operator yields in place is there already. Else a tensor is copied into its window, unless the kernel wrote
// there itself (destination()); of a buffer that grows, the kernel's own memory becomes the buffer. A number goes into its slot.
// Each is held to its type, from which the rank learns its symbols.
//
// Ownership: borrows the plan; keeps tensors of windows that never move. Failure: DiagnosticErrors of rules run.type and run.plan.
// Cost: a copy of the elements where the kernel has memory of its own.
#pragma once

#include "engine/rank_state.h"

namespace ccgraph::runtime {

class ResultPlace {
public:
  ResultPlace() = default;
  /// `operands`: the step's, to know what is in place.
  [[nodiscard]] static llvm::Expected<ResultPlace> prepare(const PlanValue &planned,
                                                           llvm::ArrayRef<PlanOperand> operands, const RankState &state,
                                                           const StepPlace &place);
  /// `arguments` may share memory with the value.
  [[nodiscard]] llvm::Error put(const Value &value, llvm::ArrayRef<Value> arguments, RankState &state,
                                const StepPlace &place) const;

private:
  [[nodiscard]] llvm::Error putTensor(const Tensor &tensor, llvm::ArrayRef<Value> arguments, RankState &state,
                                      const StepPlace &place) const;
  [[nodiscard]] llvm::Error putList(const Value &value, llvm::ArrayRef<Value> arguments, RankState &state,
                                    const StepPlace &place) const;
  [[nodiscard]] llvm::Error grow(const Tensor &tensor, llvm::ArrayRef<Value> arguments, RankState &state,
                                 const StepPlace &place) const;

  const PlanValue *planned_ = nullptr;
  /// of a window that never moves
  std::optional<Tensor> fixed_;
  bool inPlace_ = false;
  std::vector<ResultPlace> elements_;
};

} // namespace ccgraph::runtime
