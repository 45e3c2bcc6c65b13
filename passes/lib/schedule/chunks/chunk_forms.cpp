#include "schedule/chunks/chunk_forms.h"

#include "schedule/chunks/in_copy.h"
#include "schedule/chunks/region_in_copy.h"
#include "schedule/chunks/symbolic_cut.h"

namespace ccgraph {

ChunkForms::ChunkForms(Graph &graph, PassContext &context, RegionFacts &facts) : own_(graph, context), facts_(facts) {
  if (own_.isOfCopy())
    ofProgram_.emplace(own_.program(), own_.context());
}

Node *ChunkForms::inProgram(Node *node) const { return areBound() ? inCopy(node, own_.program()) : node; }

/// Returns a region of the program in the graph, with the number of its rows there.
ChunkRegion ChunkForms::inGraph(const ChunkRegion &region) const {
  if (!areBound())
    return region;
  ChunkRegion same = inCopy(region, own_.graph());
  const Dim &rows = same.products.front()->type()->sizes()[0];
  if (region.symbolicRows && rows.isStatic())
    same.rows = rows.value() / region.blocks;
  return same;
}

ChunkMatch ChunkForms::match(Node *launch) {
  ChunkMatch match = matchAnyRegion(facts(), inProgram(launch));
  if (match.region)
    match.region = inGraph(*match.region);
  return match;
}

std::optional<ChunkChain> ChunkForms::matchChain(Node *launch) {
  const ChunkMatch match = matchChunkRegion(facts(), inProgram(launch));
  std::optional<ChunkChain> chain = match.region ? matchChunkChain(facts(), *match.region) : std::nullopt;
  if (!chain || !areBound())
    return chain;
  ChunkChain same = inCopy(*chain, own_.graph());
  llvm::transform(chain->regions, same.regions.begin(), [&](const ChunkRegion &region) { return inGraph(region); });
  return same;
}

std::optional<ChunkObstacle> ChunkForms::obstacle(const ChunkRegion &region) {
  return chunkObstacle(facts(), areBound() ? inCopy(region, own_.program()) : region);
}

std::optional<ChunkObstacle> ChunkForms::obstacle(const ChunkChain &chain) {
  return chainObstacle(facts(), areBound() ? inCopy(chain, own_.program()) : chain);
}

std::string ChunkForms::whyNoRegion(Node *launch) const { return ccgraph::whyNoRegion(*inProgram(launch)); }

std::string ChunkForms::whyWhole(const ChunkChain &chain, llvm::ArrayRef<int64_t> parts) const {
  return ccgraph::whyWhole(areBound() ? inCopy(chain, own_.program()) : chain, parts);
}

std::string ChunkForms::whyWhole(const ChunkRegion &region, llvm::ArrayRef<int64_t> parts) const {
  return ccgraph::whyWhole(areBound() ? inCopy(region, own_.program()) : region, parts);
}

} // namespace ccgraph
