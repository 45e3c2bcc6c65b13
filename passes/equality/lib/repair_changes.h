// RepairChanges: the small changes of a node's value that undo a mistake of one kind.
//
//   a scale that is missing, superfluous or another one:  value -> factor * value
//   a reduction that is missing or not the meant one:     value -> factor * (sum of the value over an axis)
//   a subtraction in place of an addition, or reversed:   value -> 2 * first operand - value
//   a term that is missing:                               value -> value + factor * another value of the ranks
//   elements in the place of others:                      repair_moves.h
//
// A term is tried only where the single graph adds the values that both correspond to, or where nothing reads the term.
// Factors are those of the mesh, the number of a scale, and the factor by which a value differs from the one of the
// single graph; for a copy, which may stand where a scale was, the numbers of all scales of the single graph.
//
// Ownership: borrows the comparison, the trial and the matches. Failure: none. Cost: the first call of a node without
// an exact match is linear in the nodes of rank 0.
#pragma once

#include "repair_moves.h"

namespace ccgraph::equality {

/// value -> factor * (the value, or its sum over the ranks of an axis) + termFactor * term
struct Change {
  /// index of the axis; empty: no sum
  std::optional<size_t> axis;
  Word factor = 0;
  /// null: no term
  const Node *term = nullptr;
  Word termFactor = 0;
  /// the values of all ranks; empty: what the formula gives
  std::vector<Array> moved = {};
};

class RepairChanges {
public:
  RepairChanges(const StepComparison &comparison, Trial &trial, NodeMatches &matches);

  /// Returns the changes of a node that all ranks have, the likely ones first.
  [[nodiscard]] std::vector<Change> changesOf(const Node &node);
  /// Returns the changed values of all ranks.
  [[nodiscard]] std::vector<Array> changed(const Node &node, const Change &change) const;
  /// Returns whether the change takes back what the node does: its scale, or its average in place of a sum or reversed.
  [[nodiscard]] bool undoes(const Node &node, const Change &change) const;
  /// Returns whether changes of the node are known: all ranks have it, and it is a float, or an integer with an offset.
  [[nodiscard]] bool mayChange(const Node &node) const;
  /// Returns whether all ranks have the node, with a tensor of floats.
  [[nodiscard]] bool haveAll(const Node &node) const;

private:
  /// Returns false for a value of the single graph, which is hardly the mistake. But a scale or a reduction may make
  /// the value of another step, a copy may stand where a scale was, and ones correspond to everything.
  [[nodiscard]] bool mayBeAnother(const Node &node);
  void addFactor(std::vector<Word> &factors, Word factor);
  /// Returns the value of a node on each rank.
  [[nodiscard]] std::vector<Array> valuesOf(const Node &node) const;
  [[nodiscard]] std::vector<Word> factorsOf(const Node &node);
  /// Returns the number by which a node multiplies or divides; empty for other nodes.
  [[nodiscard]] static std::optional<Word> scaleOf(const Node &node);
  /// Adds the sums over the axes on which the values differ, times a factor for each axis.
  void addSums(const Node &node, bool asMeans, std::vector<Change> &changes) const;
  void addOtherSign(const Node &node, std::vector<Change> &changes) const;
  void addTerms(const Node &node, std::vector<Change> &changes);
  /// Adds the values of equal sizes that nothing reads: a missing term may be left over.
  void addUnread(const Node &node, std::vector<Change> &changes) const;
  /// Adds the values of the ranks that are a multiple of one of the single graph.
  void addTermsOf(const Node &node, const Node &added, std::vector<Change> &changes);
  /// Returns whether the values have equal sizes, and differ on some line of the axis.
  [[nodiscard]] bool canAdd(llvm::ArrayRef<Array> values, size_t axis) const;
  [[nodiscard]] bool haveEqualSizes(const Node &a, const Node &b) const;

  const StepComparison &comparison_;
  Trial &trial_;
  NodeMatches &matches_;
  RepairMoves moves_;
  std::vector<Word> ofMesh_;
  /// the numbers of the scales of the single graph, and their inverses
  std::vector<Word> ofScales_;
  /// the values of rank 0 that nothing reads
  std::vector<const Node *> unread_;
  /// by Match::direction: the nodes of rank 0
  std::map<uint64_t, std::vector<const Node *>> byDirection_;
  bool hasDirections_ = false;
};

} // namespace ccgraph::equality
