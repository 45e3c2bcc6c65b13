// ChunkForms: the regions and chains of a program that can be cut.
//
// Where the sizes of the graph are bound (analysis/own_program.h), nodes are matched by their types in the program. So
// a region whose rows are a symbol in the program is a symbolic region here too, with the number of its rows in `rows`,
// and a region that the program cannot cut is none, even if numbers in place of its symbols could be cut.
//
//   program   p = mm(x, b), x: f32[2048*s0, 4]       graph with s0 = 2   x: f32[4096, 4]
//   region    symbolicRows = 2048*s0, rows = 4096
//
// Ownership: refers to graph, context and facts, and is valid until the graph is edited. Nodes of regions and chains
// belong to the graph. Failure: none. Cost: see OwnProgram, chunk_region.h and chunk_chain.h.
#pragma once

#include "analysis/own_program.h"
#include "schedule/chunks/chunk_chain.h"

namespace ccgraph {

class ChunkForms {
public:
  /// `facts` are those of the graph.
  ChunkForms(Graph &graph, PassContext &context, RegionFacts &facts);

  /// Returns true if symbolic rows have a predicted time.
  [[nodiscard]] bool areBound() const { return own_.isOfCopy(); }
  /// Returns the region whose rows, or else columns, can be cut, or the node that prevents one. That node may belong to
  /// the program.
  [[nodiscard]] ChunkMatch match(Node *launch);
  /// Returns the longest chain that begins with the region of the launch.
  [[nodiscard]] std::optional<ChunkChain> matchChain(Node *launch);
  /// Returns why the region or the chain may not be cut, whatever the sizes of the pieces.
  [[nodiscard]] std::optional<ChunkObstacle> obstacle(const ChunkRegion &region);
  [[nodiscard]] std::optional<ChunkObstacle> obstacle(const ChunkChain &chain);
  /// See symbolic_cut.h.
  [[nodiscard]] std::string whyNoRegion(Node *launch) const;
  [[nodiscard]] std::string whyWhole(const ChunkRegion &region, llvm::ArrayRef<int64_t> parts) const;
  [[nodiscard]] std::string whyWhole(const ChunkChain &chain, llvm::ArrayRef<int64_t> parts) const;

private:
  [[nodiscard]] RegionFacts &facts() { return ofProgram_ ? *ofProgram_ : facts_; }
  [[nodiscard]] Node *inProgram(Node *node) const;
  [[nodiscard]] ChunkRegion inGraph(const ChunkRegion &region) const;

  OwnProgram own_;
  RegionFacts &facts_;
  std::optional<RegionFacts> ofProgram_; ///< if sizes are bound
};

} // namespace ccgraph
