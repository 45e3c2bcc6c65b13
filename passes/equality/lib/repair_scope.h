// RepairScope: which nodes of the ranks are evaluated again when the value of one node changes.
//
// Nodes that do not depend on the changed one keep their values. To reject a change, one wrong output is enough, so at
// first only nodes between the changed one and this output are evaluated.
//
// Ownership: borrows the comparison, the trial and the alignment. Failure: none. Cost: linear in the nodes of all ranks
// for each node, times the depth to which collectives are nested.
#pragma once

#include "step_nodes.h"
#include "trial.h"

namespace ccgraph::equality {

class RepairScope {
public:
  RepairScope(const StepComparison &comparison, const Trial &trial, const Alignment &alignment);

  /// Returns the node on each rank, with the nodes that depend on it.
  [[nodiscard]] std::vector<ForcedValue> dependentsOf(const Node &node) const;
  /// Returns a wrong output that depends on the node and on few others, by its index in the placements; empty if all
  /// nodes must be evaluated.
  [[nodiscard]] std::optional<size_t> outputToCheck(llvm::ArrayRef<ForcedValue> forced) const;
  /// Returns the same with only those nodes on which the output depends.
  [[nodiscard]] std::vector<ForcedValue> towards(size_t output, std::vector<ForcedValue> forced) const;
  /// Returns the estimated time of an evaluation.
  [[nodiscard]] double secondsOfRun(llvm::ArrayRef<ForcedValue> forced) const;

private:
  /// by rank and node id
  using Marks = std::vector<std::vector<bool>>;
  /// A wrong output, with the nodes on which it depends.
  struct Sought {
    size_t output = 0;
    Marks needed;
    size_t count = 0;
  };

  void addSought(size_t output);
  [[nodiscard]] Marks noMarks() const;
  [[nodiscard]] const Node *outputNode(size_t rank, size_t output) const;
  /// Marks the nodes of a rank that read what is marked, and collectives that are marked on another rank; returns
  /// whether there are more than before.
  bool spreadForward(size_t rank, Marks &marks) const;
  /// Marks the operands of what is marked on a rank, and collectives that are marked on another one.
  bool spreadBackward(size_t rank, Marks &marks) const;
  [[nodiscard]] bool isMarkedElsewhere(size_t rank, const Node &node, const Marks &marks) const;
  /// Returns whether no operator writes to a tensor, so that values may be shared between runs.
  [[nodiscard]] bool writesNothing() const;

  const StepComparison &comparison_;
  const Trial &trial_;
  const Alignment &alignment_;
  /// by rank and node id: the same step of rank 0; null if there is none
  std::vector<std::vector<const Node *>> firsts_;
  size_t numNodes_ = 0;
  double seconds_ = 0;
  bool mayReuse_ = false;
  /// those of the fewest nodes first
  std::vector<Sought> sought_;
};

} // namespace ccgraph::equality
