// RankState: the state of one rank of a running plan: its memory, its numbers, and the values of its symbols.
//
// Ownership: borrows the plan, owns the rest. Failure: DiagnosticErrors that name the step. Cost: a value is read in
// O(1), a window of symbolic sizes in the length of its expressions.
#pragma once

#include "engine/rank_memory.h"
#include "tensor/numbers.h"

namespace ccgraph::runtime {

struct RankState {
  const Plan *plan = nullptr;
  int64_t rank = 0;
  RankMemory memory;
  /// by slot; None until a step or an input gives it
  std::vector<Value> slots;
  Symbols symbols;
  /// what random operators draw from
  Numbers numbers{0};
  /// what steps need for a moment
  StepMemory stepMemory;

  RankState(const Plan &plan, int64_t rank, std::shared_ptr<LayoutCache> layouts, DeviceMemory *device = nullptr)
      : plan(&plan), rank(rank), memory(plan, std::move(layouts), device), slots(plan.numSlots) {}

  /// Forgets the run before; memory stays where it is.
  void begin();
  /// Whether elements are touched, or sizes alone are looked at.
  enum class Look : uint8_t { Elements, Sizes };
  /// Returns the value of an operand, an input or an output.
  [[nodiscard]] llvm::Expected<Value> valueOf(const PlanValue &value, const StepPlace &place,
                                              Look look = Look::Elements) const;
  /// valueOf() is the same in every run.
  [[nodiscard]] bool isFixed(const PlanValue &value) const;
  /// An argument tree, whose operands are `operands`.
  [[nodiscard]] llvm::Expected<Value> valueOf(const Argument &tree, llvm::ArrayRef<PlanOperand> operands,
                                              const StepPlace &place) const;
  [[nodiscard]] bool isFixed(const Argument &tree, llvm::ArrayRef<PlanOperand> operands) const;
  [[nodiscard]] StepPlace at(Identifier name) const { return {rank, name}; }
};

} // namespace ccgraph::runtime
