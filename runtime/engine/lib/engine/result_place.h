// ResultPlace: the destination of a step's result, and the way to write it.
//
// A result that the operator writes in place needs no action. Otherwise the kernel is offered the window to write to
// (kernel_args.h). A result in memory of its own is copied there, or becomes the buffer if the buffer grows. A number
// goes into its slot. Each result is checked against its type, which also gives the rank the values of its symbols.
//
// Ownership: borrows the plan; keeps tensors of windows that never move. Failure: DiagnosticErrors of rules run.type
// and run.plan. Cost: nothing where the kernel wrote to the window, else a copy of the elements.
#pragma once

#include "engine/rank_state.h"

namespace ccgraph::runtime {

class ResultPlace {
public:
  ResultPlace() = default;
  /// `operands` are those of the step, to detect results in place.
  [[nodiscard]] static llvm::Expected<ResultPlace> prepare(const PlanValue &planned,
                                                           llvm::ArrayRef<PlanOperand> operands, const RankState &state,
                                                           const StepPlace &place);
  /// Appends the windows that a kernel may write to directly, one for each tensor that it yields. A default-constructed
  /// tensor means that the kernel must allocate: for a buffer that grows, or a window whose symbols the result
  /// determines.
  void offer(Tensors &windows, const RankState &state, const StepPlace &place) const;
  /// Returns whether offer() yields the same in every run.
  [[nodiscard]] bool isFixed(const RankState &state) const;
  /// `arguments` may share memory with the value.
  [[nodiscard]] llvm::Error put(const Value &value, llvm::ArrayRef<Value> arguments, RankState &state,
                                const StepPlace &place) const;

private:
  [[nodiscard]] llvm::Error putTensor(const Tensor &tensor, llvm::ArrayRef<Value> arguments, RankState &state,
                                      const StepPlace &place) const;
  [[nodiscard]] llvm::Error putList(const Value &value, llvm::ArrayRef<Value> arguments, RankState &state,
                                    const StepPlace &place) const;
  [[nodiscard]] Tensor windowFor(const RankState &state, const StepPlace &place) const;
  [[nodiscard]] bool takesItsOwn(const RankState &state) const;
  [[nodiscard]] llvm::Error grow(const Tensor &tensor, llvm::ArrayRef<Value> arguments, RankState &state,
                                 const StepPlace &place) const;

  const PlanValue *planned_ = nullptr;
  /// of a window that never moves
  std::optional<Tensor> fixed_;
  bool inPlace_ = false;
  std::vector<ResultPlace> elements_;
};

} // namespace ccgraph::runtime
