// ResultPlace: where a step's result goes, and how it gets there.
//
// A result that the operator yields in place is there already. Else the kernel is offered the window to write to (kernel_args.h);
// what it has made in memory of its own is copied there, or, of a buffer that grows, becomes the buffer. A number goes into its
// slot. Each is held to its type, from which the rank learns its symbols.
//
// Ownership: borrows the plan; keeps tensors of windows that never move. Failure: DiagnosticErrors of rules run.type and run.plan.
// Cost: nothing where the kernel wrote to the window, else a copy of the elements.
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
  /// The windows that a kernel may write to at once, one for each tensor that it yields; a default-made tensor where it must take
  /// memory of its own: a buffer that grows, or a window of symbols that the result tells.
  void offer(Tensors &windows, const RankState &state, const StepPlace &place) const;
  /// offer() says the same in every run.
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
