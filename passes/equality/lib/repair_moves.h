// RepairMoves: the changes of a node's value that move elements, and so undo a mistake about where a rank's part is.
//
//   a collective over another axis:    the same collective among the ranks of an axis of the same size
//   a gather in another order:         the parts that a concatenation joins, rotated; or the operand of a rotation
//   the part of another rank:          the part of a whole value that the coordinate of the rank on an axis states
//   a missing exchange:                block i of rank k becomes block k of rank i, if other values are exchanged
//   another offset:                    an integer minus (or plus) the coordinate times a size, or the next integers
//
// Ownership: borrows the comparison, the trial and the matches. Failure: none. Cost: linear in the moved values.
#pragma once

#include "node_matches.h"

namespace ccgraph::equality {

class RepairMoves {
public:
  RepairMoves(const StepComparison &comparison, Trial &trial, NodeMatches &matches);

  /// Returns the values of all ranks after each move of a node that all ranks have. Each differs from the value that
  /// the node has.
  [[nodiscard]] std::vector<std::vector<Array>> movesOf(const Node &node);

private:
  using Values = std::vector<Array>;

  [[nodiscard]] std::optional<Values> valuesOf(const Node &node) const;
  void add(const Values &now, std::optional<Values> moved);
  void addOtherAxes(const Node &node, const Values &now);
  [[nodiscard]] std::optional<Values> overAxis(const Node &node, size_t axis) const;
  [[nodiscard]] std::optional<std::vector<Array>> launched(const Node &node, llvm::ArrayRef<size_t> line) const;
  void addRotations(const Node &node, const Values &now);
  void addOtherParts(const Node &node, const Values &now);
  [[nodiscard]] std::optional<Values> partsOn(size_t axis, const Values &whole, const Values &now) const;
  void addExchanges(const Values &now);
  [[nodiscard]] Values exchangedOn(size_t axis, const Values &now) const;
  void addOffsets(const Node &node, const Values &now);
  [[nodiscard]] std::vector<std::vector<int64_t>> offsetsFor(const Node &node) const;
  [[nodiscard]] int64_t coordinate(size_t rank, size_t axis) const;

  const StepComparison &comparison_;
  Trial &trial_;
  NodeMatches &matches_;
  bool exchanges_ = false;
  /// the sizes of dimensions of the inputs
  std::vector<int64_t> lengths_;
  std::vector<Values> moves_;
};

/// Returns the ranks that differ from a rank in one axis alone, in the order of the axis.
[[nodiscard]] std::vector<size_t> lineOf(size_t rank, size_t axis, llvm::ArrayRef<NamedAxis> mesh);

} // namespace ccgraph::equality
