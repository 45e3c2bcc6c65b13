// Suspicion: which nodes may be a mistake, by the outputs that are computed from them.
//
// A node from which a right output is computed is hardly the mistake, and one mistake is before every wrong output. The
// idea is that of fault localization by spectra (J. A. Jones and M. J. Harrold, ASE 2005), with the edges of the graph
// in place of the statements that a test executes.
//
// Ownership: borrows the matches and the trial. Failure: none. Cost: linear in the graph for each wrong output.
#pragma once

#include "node_matches.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::equality {

class Suspicion {
public:
  Suspicion(const StepComparison &comparison, const Trial &trial, NodeMatches &matches);

  /// 0: only wrong outputs are computed from the node, and all of them; 1: only wrong outputs; 2: right ones too.
  [[nodiscard]] unsigned levelOf(const Node &node) const;
  /// Returns how many wrong outputs are computed from the node.
  [[nodiscard]] size_t numWrongFrom(const Node &node) const { return reached_.lookup(&node).wrong; }
  /// Returns the node of rank 0 that makes an output of its graph; null if none does.
  [[nodiscard]] static const Node *outputNode(const Graph &graph, size_t position);

private:
  void visit(const Node &output, bool isWrong);

  /// Returns the power of p that all elements of a float share; that of zeros is fullDigits.
  [[nodiscard]] unsigned leastPower(const Node &node) const;
  /// Returns the operands of which a right value tells more than one digit: a product with a zero tells nothing of the
  /// other factor, and a square of multiples of p one digit.
  [[nodiscard]] std::vector<const Node *> operandsThatTell(const Node &node) const;

  NodeMatches &matches_;
  const Trial &trial_;
  struct Reached {
    size_t wrong = 0;
    bool right = false;
  };
  llvm::DenseMap<const Node *, Reached> reached_;
  size_t numWrong_ = 0;
};

} // namespace ccgraph::equality
