// ChunkChoice: into which pieces a region is cut, by predicted time.
//
// The region alone is a pipeline of two stages, the collective and the products. For a gather of k pieces:
//
//   whole    gather, then products
//   pieces   t = 0; for each piece: t = max(t, end of its gather) + its products; then t + copies of the results
//
// and for a reduction the stages change places. A piece costs its own latency, the last wave of its tiles, a launch
// for each kernel, and the copies that take rows out of a matrix and put results together (CostModel). All pieces need
// not be equal: a small first piece lets computation begin early.
//
// Ownership: plain values. Failure: none; no choice where nothing is predicted to be faster. Cost: C(units, pieces)
// sums, with times that are computed once for each number of rows.
#pragma once

#include "ccgraph/passes/cost.h"
#include "schedule/chunks/chunk_region.h"

namespace ccgraph {

/// A piece in a stage of a chain. Region i has the stages 3 i to 3 i + 2: multiply, reduce, and compute the links; or
/// gather, multiply, and compute the links.
struct ChunkStep {
  size_t stage = 0;
  size_t piece = 0;
};

struct ChunkChoice {
  /// rows of each block, by piece, or of symbolic rows the parts of them; one piece: the region stays whole
  llvm::SmallVector<int64_t, 4> pieces;
  /// predicted picoseconds of the region alone, whole and in these pieces
  int64_t whole = 0;
  int64_t cut = 0;
  /// of a chain: the order in which the pieces run
  std::vector<ChunkStep> order = {};
};

/// Returns the fastest cut into at most so many pieces; of equally fast ones the one with the fewest pieces. Symbolic
/// rows have the number and the times of the sizes that are bound.
[[nodiscard]] ChunkChoice chooseChunks(const CostModel &cost, const ChunkRegion &region, int64_t mostPieces);
/// Returns the rows of so many pieces that differ by at most one row or sequence; of one each if there are fewer.
[[nodiscard]] llvm::SmallVector<int64_t, 4> equalPieces(const ChunkRegion &region, int64_t pieces);
/// Returns the cut into pieces of these rows; one piece unless each has whole sequences, and they add up to the rows of
/// the region.
[[nodiscard]] ChunkChoice statedChunks(const CostModel &cost, const ChunkRegion &region,
                                       llvm::ArrayRef<int64_t> pieces);

/// Returns the bytes that the pieces hold at the same time, beyond those of the whole region.
[[nodiscard]] int64_t bytesOfPieces(const ChunkRegion &region);

} // namespace ccgraph
