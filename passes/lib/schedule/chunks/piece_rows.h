// PieceRows: takes the rows of a piece out of a matrix, and puts the rows of all pieces together.
//
// A matrix of the products has the rows of `blocks` blocks, and each piece has the same rows of each block. For 2
// blocks of 4 rows, in pieces of 1 and 3 rows of each block:
//
//   whole    0 1 2 3 | 4 5 6 7
//   pieces   0 | 4,  1 2 3 | 5 6 7
//
// With several sequences, the matrix has the rows of the first sequence of each block, then of the second one, and so
// on (chunk_region.h). For 2 blocks and 3 sequences of 2 rows, in pieces of one and two sequences:
//
//   whole    0 1 | 2 3,  4 5 | 6 7,  8 9 | 10 11
//   pieces   0 1 | 2 3,  4 5 8 9 | 6 7 10 11
//
// Ownership: refers to the builder, the ends and the rows of the pieces. Failure: none. Cost: the nodes made: views,
// and a copy of the piece where its rows are not consecutive; a copy of the whole to put it together.
#pragma once

#include "schedule/chunks/chunk_region.h"
#include "schedule/chunks/piece_ends.h"

namespace ccgraph {

class PieceRows {
public:
  PieceRows(GraphBuilder &at, PieceEnds &ends, llvm::ArrayRef<int64_t> pieces)
      : at_(at), ends_(ends), pieces_(pieces) {}

  /// Returns the rows of a piece of a matrix of the region's products, block by block, as a matrix without gaps.
  [[nodiscard]] Node *take(const ChunkRegion &region, Node *matrix, size_t piece);
  /// Puts all pieces together, in these sizes. The last one is the number of columns.
  [[nodiscard]] Node *join(const ChunkRegion &region, llvm::ArrayRef<Node *> parts, llvm::ArrayRef<int64_t> sizes);

private:
  [[nodiscard]] Node *takeSequences(const ChunkRegion &region, Node *matrix, size_t piece);

  GraphBuilder &at_;
  PieceEnds &ends_;
  llvm::ArrayRef<int64_t> pieces_;
};

} // namespace ccgraph
