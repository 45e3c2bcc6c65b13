// SymbolicCut: whether a region or a chain whose rows are an expression of a symbol can be cut for every value of the
// symbol.
//
//   x: f32[2048*s0, 4]     rows 2048*s0, in two pieces of 1024*s0
//   x: f32[3*s0, 4]        rows 3*s0, in two pieces: (3*s0)//2 and the others
//   x: f32[s0*s1, 4]       rows s0*s1, in two pieces: (s0*s1)//2 and the others
//   x: f32[s0, 4]          rows s0 are not cut: a piece of two might have a single row
//
// The ends of the pieces are parts of the rows, rounded down (piece_ends.h), so no number of rows needs to divide. The
// rows must be a multiple of one symbol, or of a product of symbols. A symbol s0, s1, ... is at least 2, since
// torch.compile makes graphs of their own for the sizes 0 and 1. For the same reason each piece must have several rows
// for every value of the symbol: if one might have a single row, another graph would be compiled for the values that
// give it one. Columns have no such limit, since their number is no symbol (column_region.cpp).
//
// Ownership: plain values. Failure: a sentence that explains why the region stays whole. Cost: the nodes of the region.
#pragma once

#include "schedule/chunks/chunk_chain.h"

namespace ccgraph {

/// Returns why sizes that are symbols prevent a region around an all_gather, a reduce_scatter or an all_reduce; empty
/// for any other launch.
[[nodiscard]] std::string whyNoRegion(const Node &launch);

/// Returns why a region with symbolic rows may not be cut into pieces that have these parts of the rows; empty if it
/// may.
[[nodiscard]] std::string whyWhole(const ChunkRegion &region, llvm::ArrayRef<int64_t> parts);

/// The same for a chain.
[[nodiscard]] std::string whyWhole(const ChunkChain &chain, llvm::ArrayRef<int64_t> parts);

/// Returns true for symbolic rows that may not even be cut into two equal pieces.
[[nodiscard]] bool neverCuts(const ChunkRegion &region);

/// Into how many units of equal size the rows of a region are divided, and how many of them a piece has at least.
struct PieceUnits {
  int64_t all = 1;
  int64_t least = 1;
};

/// Returns the units of symbolic rows, which must be a multiple of symbols: at most `most`, and so that a piece has
/// several rows for every value of the symbols.
[[nodiscard]] PieceUnits unitsOf(const ChunkRegion &region, int64_t most);

/// Returns the symbolic rows of a piece of each block, as PyTorch writes them.
[[nodiscard]] Dim rowsOfPiece(const ChunkRegion &region, llvm::ArrayRef<int64_t> parts, size_t piece);

/// Returns the rows of the pieces, as expressions: "(s0//2)+s0 - ((s0//2))".
[[nodiscard]] std::string textOfPieces(const ChunkRegion &region, llvm::ArrayRef<int64_t> parts);

} // namespace ccgraph
