// Program: one side of a rewrite, before or after, as arrays: steps in program order, operands as
// step numbers, effects.
//
// The graph before no longer exists when the checker runs: rewired and erased nodes have lost their
// operands. A Program is what the checks need of either side, built from the snapshot or from the
// graph, so that each check is written once.
//
// Ownership: refers to the snapshot and the graph, which must not be edited meanwhile. Failure:
// none; an operand that is not in the program is `none`, which is a finding of the checks. Cost:
// one pass, about 100 bytes a node; `effectsOf` is asked once a node, for unchanged nodes on the
// side before only.
//
// Steps are numbered by their place in the order, so "before" is a comparison of numbers, on both
// sides. Numbers of the two sides are never mixed: names say `before` or `after`.
#pragma once

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/snapshot.h"

#include <vector>

namespace ccgraph::legality {

inline constexpr uint32_t none = UINT32_MAX;

/// One step of a program: what the node said then, and what effectsOf said of it. Operands and
/// access bits stand in the Program's pools.
struct Step {
  /// Only its identity, name and opcode are to be read off the node itself: all else may have changed since.
  const Node *node = nullptr;
  const OpDef *op = nullptr;
  const Type *type = nullptr;
  const Arguments *arguments = nullptr;
  uint32_t firstOperand = 0;
  uint32_t numOperands = 0;
  uint32_t numOrdering = 0;
  Domain domain = Domain::None;
  bool launches = false;
  bool waits = false;
  bool freshResult = true;
  bool keepAlways = false;
  /// The element of a list that a getitem takes, `none` where it is no literal; of a control_deps, that of the getitem
  /// which a rule puts in its place. The list is the operand with Access::Alias.
  uint32_t element = none;

  [[nodiscard]] Opcode opcode() const { return node->opcode(); }
  [[nodiscard]] bool isCall() const { return opcode() == Opcode::CallFunction; }
  [[nodiscard]] const CollectiveSpec *collective() const { return op && op->collective ? &*op->collective : nullptr; }
  [[nodiscard]] bool isGetItem() const { return op && op->role == OpRole::GetItem; }
};

class Program {
public:
  /// The graph as it was. Effects of nodes that were since erased or given other arguments come
  /// from their operator's declaration.
  explicit Program(const GraphSnapshot &before);
  /// The graph as it is; steps that also stand in `before`, unchanged, take their effects from there.
  Program(const Graph &after, const GraphSnapshot &snapshot, const Program &before);

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(steps_.size()); }
  [[nodiscard]] const Step &operator[](uint32_t index) const { return steps_[index]; }
  /// Number of the step of this node; `none` if it is not in this program.
  [[nodiscard]] uint32_t indexOf(const Node *node) const {
    return node->id() < indexById_.size() ? indexById_[node->id()] : none;
  }
  [[nodiscard]] bool contains(const Node *node) const { return indexOf(node) != none; }

  /// Step numbers of the data operands; `none` for one that is not in the program.
  [[nodiscard]] llvm::ArrayRef<uint32_t> operands(const Step &step) const {
    return llvm::ArrayRef(operands_).slice(step.firstOperand, step.numOperands);
  }
  [[nodiscard]] llvm::ArrayRef<uint32_t> ordering(const Step &step) const {
    return llvm::ArrayRef(operands_).slice(step.firstOperand + step.numOperands, step.numOrdering);
  }
  /// What the step does with each data operand.
  [[nodiscard]] llvm::ArrayRef<Access> accesses(const Step &step) const {
    return llvm::ArrayRef(accesses_).slice(step.firstOperand, step.numOperands);
  }
  /// The argument at a parameter of the operator, positional or by name; null where left out.
  [[nodiscard]] static const Argument *argument(const Step &step, int parameter);
  /// Step number of an operand leaf.
  [[nodiscard]] uint32_t operand(const Step &step, const Argument &leaf) const {
    return operands(step)[leaf.operandIndex()];
  }
  /// Step numbers of the operands in a tree: a leaf, a list of leaves, or lists of these.
  [[nodiscard]] llvm::SmallVector<uint32_t, 4> operandsIn(const Step &step, const Argument *tree) const;

  /// Gives a step the effects of another call that stands for it (a rule's template); bits for each
  /// of its own operands.
  void setEffects(uint32_t index, const Step &like, llvm::ArrayRef<Access> accesses);

private:
  /// For the operands and ordering edges of all steps, and what is done with each.
  void makeRoom(size_t edges);
  void apply(Step &step, const Effects &effects);

  std::vector<Step> steps_;
  std::vector<uint32_t> indexById_;
  // Operands of all steps back to back, each step's data operands first, then its ordering edges;
  // and the access to each.
  std::vector<uint32_t> operands_;
  std::vector<Access> accesses_;
};

} // namespace ccgraph::legality
