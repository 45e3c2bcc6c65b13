// RowRegion: row functions of large values that chunk-rows computes in pieces of rows.
//
//   c = cast(p); s = log_softmax(c); m = mean(s); e = exp(s); d = cast(e); r(d)
//
// Row i of each value depends on row i of the values before it. So a piece of rows goes through all functions before
// the next one begins, and only the values of one piece are live. What other nodes read (`d`) is put together of the
// pieces. A mean or a sum of all elements (`m`), or a loss that is a sum over the rows, is the mean or the sum of those
// of the pieces.
//
// A function may need what other nodes compute from a total, such as the gradient of the loss. It is in a later
// *stage*: all pieces of a stage are computed before those of the next one, and values that the next one reads stay in
// pieces.
//
// Ownership: nodes belong to the graph. Plain values. Failure: none. Cost: the nodes, and the readers of the values.
#pragma once

#include "simplify/exchanges/region_facts.h"

namespace ccgraph {

struct RowRegion {
  struct Stage {
    /// The pieces are computed before this node. What they read precedes it, and what reads their results follows it.
    Node *position = nullptr;
    /// in program order
    llvm::SmallVector<Node *, 8> functions;
    /// of these functions: nll_loss_forward calls
    llvm::SmallVector<Node *, 1> losses;
    /// the means and sums of all elements of a function, and the getitems of a loss
    llvm::SmallVector<Node *, 2> totals;
    /// the functions whose values other nodes read
    llvm::SmallVector<Node *, 2> results;
  };
  llvm::SmallVector<Stage, 2> stages;
  int64_t rows = 0;
  /// Returns the functions, losses and totals of all stages.
  [[nodiscard]] llvm::SmallVector<Node *, 16> nodes() const;
};

/// Why functions of rows are computed whole.
enum class RowObstacle : uint8_t {
  /// the node is no row function, or its sizes are unknown
  NotRows,
  /// a node reads a value before all that its pieces read is known
  Entangled,
  /// results must be bitwise equal, and kernels for fewer rows may round otherwise
  Bitwise,
  /// a node would go that has ordering edges
  Ordered,
  /// a value is written or reshaped
  Written,
  /// an opaque step is between the nodes
  Opaque,
};
inline constexpr size_t numRowObstacles = static_cast<size_t>(RowObstacle::Opaque) + 1;

/// The region that contains a node, or why there is none.
struct RowMatch {
  std::optional<RowRegion> region;
  RowObstacle obstacle = RowObstacle::NotRows;
};

/// Matches the functions around a node, at most 64, whose values have at least a quarter of the bytes of its value.
[[nodiscard]] RowMatch matchRowRegion(RegionFacts &facts, Node *node);

/// Replaces the region by so many equal pieces, which must divide its rows.
void buildRowPieces(const CostModel &cost, Graph &graph, const RowRegion &region, int64_t pieces, RuleEntry &entry);

} // namespace ccgraph
