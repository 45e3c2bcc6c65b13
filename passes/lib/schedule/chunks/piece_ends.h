// PieceEnds: at which rows the pieces of a region begin and end, as arguments of slices.
//
//   512 rows in pieces of 128 and 384 rows         0, 128, the end
//   s0 rows, of which the pieces have 1 and 3 of 4 parts
//     ->  n = sym_size(x, 0); e = n // 4           0, e, the end
//   s0 rows in three equal pieces
//     ->  n = sym_size(x, 0); e = n // 3; m = n * 2; f = m // 3
//
// So a symbolic number of rows need not be a multiple of the parts, and one program serves every value of the symbol.
//
// Ownership: refers to the parts; nodes belong to the graph of the builder. Failure: none. Cost: at most three nodes
// for each end, the first time that it is needed.
#pragma once

#include "ccgraph/ir/builder.h"

namespace ccgraph {

class PieceEnds {
public:
  /// `parts`: by piece, its rows, or its share of symbolic rows.
  PieceEnds(llvm::ArrayRef<int64_t> parts, bool isSymbolic) : parts_(parts), isSymbolic_(isSymbolic) {}

  /// Returns rows [begin of the piece, end of the piece) along a dimension of a value. All values that are sliced have
  /// the same rows along it, and the first slice precedes the others.
  [[nodiscard]] Node *slice(GraphBuilder &at, Node *value, int64_t dim, size_t piece);

  /// Returns the sum of the rows of all pieces before this one, or of their shares.
  [[nodiscard]] int64_t before(size_t piece) const;

private:
  [[nodiscard]] Actual begin(GraphBuilder &at, Node *value, int64_t dim, size_t piece);

  llvm::ArrayRef<int64_t> parts_;
  bool isSymbolic_;
  Node *rows_ = nullptr;                ///< the number of rows, once it is needed
  llvm::SmallVector<Node *, 4> begins_; ///< by piece, from the second one on
};

} // namespace ccgraph
