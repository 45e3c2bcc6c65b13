// ChunkRegion: a collective, and the products of matrices beside it, that chunk-collectives cuts into pieces of rows or
// of columns.
//
//   gather           g = all_gather(x); w = wait(g); v = move(w); p = mm(v, b); q = mm(v, c)
//   reduce           p = mm(x, b); v = move(p); s = reduce_scatter(v) or all_reduce(v); w = wait(s)
//   reduce columns   p = mm(x, b); v = cast(p); s = reduce_scatter(v) or all_reduce(v); w = wait(s)
//   gather columns   g = all_gather(x); w = wait(g); t = transposed(w); p = mm(a, t)
//
// Row i of a product depends on row i of its first operand and on the second operand, so rows are parallel. Movements
// between collective and product change the shape and keep all elements in row-major order (row_movements.h), so the
// gathered value, or the sent one, is a matrix in another shape. The rows that travel together are not consecutive:
// piece k of an all_gather has the k-th rows of each rank's share. So the rows of the large matrix form `blocks` of
// `rows` rows each, and a piece has the same rows of each block. An all_reduce has one block.
//
// With a batch of several sequences, the collective has the rows of each rank together, and the products those of each
// sequence (row_movements.h). Both have the rows of one rank and one sequence together. So a piece has whole sequences:
// its rows are multiplied in the order of the collective, and the results are put together in that of the products.
//
// Column j of a product depends on column j of its second operand and on the first operand, so columns are parallel
// too. A reduce_scatter sends rows, so a piece of columns has a part of what each rank gets, and no row is copied. The
// gradient of a weight is such a product of two large matrices, with a cast before the reduction. A weight that is
// gathered is often multiplied in its transposed form, so its rows are columns of the product (column_pieces.cpp).
//
// Ownership: nodes belong to the graph. Plain values. Failure: none. Cost: the nodes, and the readers of the values.
#pragma once

#include "simplify/exchanges/region_facts.h"

#include <limits>

namespace ccgraph {

struct ChunkRegion {
  enum class Kind : uint8_t { Gather, Reduce, GatherColumns, ReduceColumns } kind = Kind::Gather;
  Node *launch = nullptr;
  Node *wait = nullptr;
  /// the products that are cut, in program order; one but for Gather
  llvm::SmallVector<Node *, 4> products;
  /// Gather, GatherColumns: the product at whose position all products are computed
  Node *anchor = nullptr;
  /// the movements between collective and products, the functions of elements and views of symbolic rows
  /// (ReduceColumns), or the transposition (GatherColumns), in program order
  llvm::SmallVector<Node *, 8> moves;
  /// Gather: the wait and movements that other nodes read, so the value is gathered whole too. GatherColumns: the wait,
  /// which is put together for other nodes that read it
  llvm::SmallVector<Node *, 2> kept;
  int64_t blocks = 1;
  /// of each block of the matrix that is cut; ReduceColumns: the columns of the product, which are cut in place of rows
  int64_t rows = 0;
  /// the sequences of each block, all of one length. If there are several, the rows of the products are those of the
  /// first sequence of each block, then of the second one, and so on. A piece has whole sequences.
  int64_t sequences = 1;
  /// of the first operand of the products (Gather), of the gathered value (GatherColumns), or of the product (Reduce)
  int64_t columns = 0;
  /// the rows of each block, if these are an expression of symbols in the program; `rows` is 0 then, unless sizes are
  /// bound (chunk_forms.h)
  const SymExpr *symbolicRows = nullptr;
  /// GatherColumns, ReduceColumns: the columns are longer or shorter for other values of symbols in the program
  bool hasSymbolicColumns = false;
  /// Returns true if the region has other sizes for other values of symbols in the program.
  [[nodiscard]] bool isSymbolic() const { return symbolicRows || hasSymbolicColumns; }
  /// Returns the rows of a block of which each piece has a multiple.
  [[nodiscard]] int64_t rowsTogether() const { return sequences == 1 ? 1 : rows / sequences; }
  [[nodiscard]] bool gathers() const { return kind == Kind::Gather || kind == Kind::GatherColumns; }
  [[nodiscard]] bool cutsColumns() const { return kind == Kind::GatherColumns || kind == Kind::ReduceColumns; }
  /// Returns the rows of each block, as a number or an expression.
  [[nodiscard]] Dim rowsOfBlock() const { return symbolicRows ? Dim(symbolicRows) : Dim(rows); }
  /// Returns the launch, the wait, the products and the movements.
  [[nodiscard]] llvm::SmallVector<Node *, 16> nodes() const;
};

/// Why a region stays whole.
enum class ChunkObstacle : uint8_t {
  /// other ranks run other programs
  NotSpmd,
  /// a launch has keyword arguments, or arguments beyond its schema
  Arguments,
  /// results must be bitwise equal, and products of fewer rows may be rounded otherwise
  Bitwise,
  /// a node besides the launch is ordered before or after another
  Ordered,
  /// an operand is written, so it may have changed where the pieces read it
  Written,
  /// an operand or a result is reshaped in place
  Reshaped,
  /// an opaque step is between the nodes
  Opaque,
  /// several values that are gathered whole share memory, and its place is observed
  Observed,
  /// a wait has another stated type than its launch
  Type,
  /// one row or column cannot be cut
  FewRows,
  /// the memory budget
  OverBudget,
  /// the pieces are predicted to take longer
  Slower,
  /// the collective is not exposed in the best schedule of the program
  Hidden,
};
inline constexpr size_t numChunkObstacles = static_cast<size_t>(ChunkObstacle::Hidden) + 1;

/// The region around a launch, or the node that prevents one.
struct ChunkMatch {
  std::optional<ChunkRegion> region;
  /// a node that reads or computes what is sent, and whose rows are not proved to be independent
  const Node *entangled = nullptr;
};

/// Matches an all_gather, a reduce_scatter or an all_reduce on one matrix, whose rows may be an expression of symbols.
/// Both are empty for any other launch.
[[nodiscard]] ChunkMatch matchChunkRegion(RegionFacts &facts, Node *launch);

/// Matches a reduce_scatter or an all_reduce on functions of the elements of a product, or an all_gather of a matrix
/// that a product reads transposed, if columns of the product can be cut. Their number is known; the rows of the
/// product, and what it adds over, may be expressions of symbols. Both are empty for any other launch.
[[nodiscard]] ChunkMatch matchColumnRegion(RegionFacts &facts, Node *launch);

/// Returns the region whose rows can be cut; if there is none, or if its rows are symbolic and may be too few, the one
/// whose columns can be cut.
[[nodiscard]] ChunkMatch matchAnyRegion(RegionFacts &facts, Node *launch);

/// Returns why the region may not be cut, whatever the sizes of the pieces.
[[nodiscard]] std::optional<ChunkObstacle> chunkObstacle(RegionFacts &facts, const ChunkRegion &region);

/// Returns the nodes from `position` on that compute the value, itself included, operands first; empty if there are
/// more than `most`.
[[nodiscard]] std::optional<llvm::SmallVector<Node *, 8>>
computedAfter(Node *value, const Node *position, size_t most = std::numeric_limits<size_t>::max());

/// Replaces the region by pieces of these columns, which add up to its columns.
void buildColumnPieces(Graph &graph, const ChunkRegion &region, llvm::ArrayRef<int64_t> pieces, RuleEntry &entry);

/// Replaces the region by pieces of these rows of each block, or of these columns, which add up to all of them.
void buildPieces(Graph &graph, const ChunkRegion &region, llvm::ArrayRef<int64_t> pieces, RuleEntry &entry);

} // namespace ccgraph
