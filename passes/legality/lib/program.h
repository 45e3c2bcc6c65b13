// Program: one side of a rewrite, before or after, as arrays: steps in program order, operands as step numbers,
// effects.
//
// The graph before no longer exists when the checker runs: rewired and erased nodes have lost their operands. A Program
// holds what the checks need of either side. It is built from the snapshot or from the graph, so each check is written
// once.
//
// Ownership: refers to the snapshot and the graph, which must not be edited meanwhile. Failure: none; an operand that
// is not in the program is `none`, which the checks report. Cost: one traversal, about 100 bytes a node; `effectsOf` is
// called once a node, for unchanged nodes on the side before only.
//
// Steps are numbered by their position in program order, so "before" is a comparison of numbers, on both sides. Numbers
// of the two sides are never mixed: names contain `before` or `after`.
#pragma once

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/snapshot.h"

#include <vector>

namespace ccgraph::legality {

inline constexpr uint32_t none = UINT32_MAX;

/// One step of a program: the node at that time, and its effects (effectsOf). Operands and access bits are in the
/// Program's pools.
struct Step {
  /// Only identity, name and opcode may be read from the node itself: its other properties may have changed since.
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
  /// The element of a list that a getitem reads, `none` if it is no literal. For a control_deps, the element of the
  /// getitem that a rule puts in its place. The list is the operand with Access::Alias.
  uint32_t element = none;

  [[nodiscard]] Opcode opcode() const { return node->opcode(); }
  [[nodiscard]] bool isCall() const { return opcode() == Opcode::CallFunction; }
  [[nodiscard]] const CollectiveSpec *collective() const { return op && op->collective ? &*op->collective : nullptr; }
  /// Returns true for ao.wait_tensor, which writes a storage: it frees the one of its second operand.
  [[nodiscard]] bool frees() const { return waits && op && op->frees >= 0; }
  /// Returns true for a wait that changes no storage: what it says it writes, its launch has written.
  [[nodiscard]] bool onlyWaits() const { return waits && !frees(); }
  [[nodiscard]] bool isGetItem() const { return op && op->role == OpRole::GetItem; }
};

class Program {
public:
  /// Reads the graph as it was. Effects of nodes that were since erased or got other arguments come from the
  /// declaration of their operator.
  explicit Program(const GraphSnapshot &before);
  /// Reads the graph as it is; steps that are unchanged from `before` copy their effects from there.
  Program(const Graph &after, const GraphSnapshot &snapshot, const Program &before);

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(steps_.size()); }
  [[nodiscard]] const Step &operator[](uint32_t index) const { return steps_[index]; }
  /// Returns the number of the node's step; `none` if it is not in this program.
  [[nodiscard]] uint32_t indexOf(const Node *node) const {
    return node->id() < indexById_.size() ? indexById_[node->id()] : none;
  }
  [[nodiscard]] bool contains(const Node *node) const { return indexOf(node) != none; }

  /// Returns the step numbers of the data operands; `none` for one that is not in the program.
  [[nodiscard]] llvm::ArrayRef<uint32_t> operands(const Step &step) const {
    return llvm::ArrayRef(operands_).slice(step.firstOperand, step.numOperands);
  }
  [[nodiscard]] llvm::ArrayRef<uint32_t> ordering(const Step &step) const {
    return llvm::ArrayRef(operands_).slice(step.firstOperand + step.numOperands, step.numOrdering);
  }
  /// Returns how the step accesses each data operand.
  [[nodiscard]] llvm::ArrayRef<Access> accesses(const Step &step) const {
    return llvm::ArrayRef(accesses_).slice(step.firstOperand, step.numOperands);
  }
  /// Returns the argument at a parameter of the operator, positional or by name; null if it is left out.
  [[nodiscard]] static const Argument *argument(const Step &step, int parameter);
  /// Returns the step number of an operand leaf.
  [[nodiscard]] uint32_t operand(const Step &step, const Argument &leaf) const {
    return operands(step)[leaf.operandIndex()];
  }
  /// Returns the step numbers of the operands in a tree: a leaf, a list of leaves, or lists of these.
  [[nodiscard]] llvm::SmallVector<uint32_t, 4> operandsIn(const Step &step, const Argument *tree) const;

  /// Gives a step the effects of another call that replaces it (a rule's template); one access for each of its own
  /// operands.
  void setEffects(uint32_t index, const Step &like, llvm::ArrayRef<Access> accesses);

private:
  /// Reserves space for the operands and ordering edges of all steps and the access to each.
  void makeRoom(size_t edges);
  void apply(Step &step, const Effects &effects);

  std::vector<Step> steps_;
  std::vector<uint32_t> indexById_;
  // Operands of all steps back to back, each step's data operands first, then its ordering edges; and the access to
  // each.
  std::vector<uint32_t> operands_;
  std::vector<Access> accesses_;
};

} // namespace ccgraph::legality
