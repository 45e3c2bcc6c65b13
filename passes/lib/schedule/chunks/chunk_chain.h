// ChunkChain: collectives that follow one another through row functions and products, and that are cut together.
//
//   p = mm(x, b); s = reduce_scatter(p); w = wait(s)      a region that reduces
//   h = add(r, w); n = norm(h)                            links
//   g = all_gather(n); v = wait(g); q = mm(v, c)          a region that gathers
//   u = silu(q)                                           links
//   o = mm(u, d); t = reduce_scatter(o); ...              a region that reduces, and so on
//
// The layers of tensor parallel models with a sharded sequence are such chains, from one attention to the next. A
// rank's share of a reduce_scatter has the rows that it sends to the next all_gather, and the product after a gather
// has the rows of all ranks, which the next reduce_scatter needs. If all are cut into the same rows, and the links too
// (row_functions.h), the first rows are gathered and multiplied while the last ones are still reduced.
//
// Ownership: nodes belong to the graph. Plain values. Failure: none; empty where there is no chain. Cost: the nodes
// between the collectives, and their readers.
#pragma once

#include "schedule/chunks/chunk_choice.h"

namespace ccgraph {

struct ChunkChain {
  /// two or more regions, which reduce and gather by turns, with the same blocks and rows, which may be symbolic
  std::vector<ChunkRegion> regions;
  /// the row functions between regions i and i + 1, in program order; after the last region: none
  std::vector<llvm::SmallVector<Node *, 16>> links;
  /// Waits that reduce, products and links whose pieces are put together, since other nodes read them.
  llvm::SmallVector<Node *, 8> kept;
  /// By region: the links after it, and getitems of them, that are computed whole too, from what is put together.
  /// Where other nodes read many links, such as the backward pass those of a norm, this takes less time than to put all
  /// of them together.
  std::vector<llvm::SmallVector<Node *, 16>> repeated;
  /// Returns the node before which all pieces are computed: the last product, or the last reduce_scatter.
  [[nodiscard]] Node *end() const { return regions.back().gathers() ? regions.back().anchor : regions.back().launch; }
  [[nodiscard]] int64_t rows() const { return regions.front().rows; }
  [[nodiscard]] bool isSymbolic() const { return regions.front().symbolicRows != nullptr; }
  [[nodiscard]] int64_t blocks() const { return regions.front().blocks; }
  /// Returns the parts into which the rows of the links after a region fall: those of each rank after a gather.
  [[nodiscard]] int64_t blocksAfter(size_t region) const { return regions[region].gathers() ? blocks() : 1; }
};

/// Returns the longest chain that begins with this region.
[[nodiscard]] std::optional<ChunkChain> matchChunkChain(RegionFacts &facts, const ChunkRegion &first);

/// Returns the names of the collectives from number `from` on.
[[nodiscard]] std::string namesOf(const ChunkChain &chain, size_t from, llvm::StringRef separator);
/// Returns the name of the chain in the option `only` of chunk-collectives: s-g.
[[nodiscard]] std::string nameOf(const ChunkChain &chain);

/// Returns why the chain may not be cut, whatever the sizes of the pieces.
[[nodiscard]] std::optional<ChunkObstacle> chainObstacle(RegionFacts &facts, const ChunkChain &chain);

/// Returns the fastest cut of the chain into at most so many pieces, as chooseChunks does for a region. A piece runs
/// through the stages (product, reduce_scatter, links, all_gather, products, ...) as soon as its rows are ready and the
/// stream or the link is free. The link may also wait for a piece of a later collective, whichever is faster.
[[nodiscard]] ChunkChoice chooseChainChunks(const CostModel &cost, const ChunkChain &chain, int64_t mostPieces);
/// Returns the cut of symbolic rows into these parts, without a prediction: in every stage, a piece takes as long as
/// its part.
[[nodiscard]] ChunkChoice statedChainParts(const CostModel &cost, const ChunkChain &chain,
                                           llvm::ArrayRef<int64_t> parts);
/// Returns the cut of the chain into pieces of these rows, as statedChunks does for a region.
[[nodiscard]] ChunkChoice statedChainChunks(const CostModel &cost, const ChunkChain &chain,
                                            llvm::ArrayRef<int64_t> pieces);

/// Returns the bytes that the pieces hold at the same time, beyond those of the whole chain.
[[nodiscard]] int64_t bytesOfPieces(const ChunkChain &chain);

/// Replaces the chain by pieces, in the order of the choice.
void buildPieces(const CostModel &cost, Graph &graph, const ChunkChain &chain, const ChunkChoice &choice,
                 RuleEntry &entry);

} // namespace ccgraph
