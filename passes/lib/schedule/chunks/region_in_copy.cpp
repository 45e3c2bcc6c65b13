#include "schedule/chunks/region_in_copy.h"

#include "schedule/chunks/in_copy.h"

namespace ccgraph {

ChunkRegion inCopy(const ChunkRegion &region, const Graph &copy) {
  ChunkRegion same = region;
  same.launch = inCopy(region.launch, copy);
  same.wait = inCopy(region.wait, copy);
  same.anchor = inCopy(region.anchor, copy);
  same.products = inCopy(region.products, copy);
  same.moves = inCopy(region.moves, copy);
  same.kept = inCopy(region.kept, copy);
  return same;
}

ChunkChain inCopy(const ChunkChain &chain, const Graph &copy) {
  ChunkChain same;
  for (const ChunkRegion &region : chain.regions)
    same.regions.push_back(inCopy(region, copy));
  for (const auto &links : chain.links)
    same.links.push_back(inCopy(links, copy));
  same.kept = inCopy(chain.kept, copy);
  for (const auto &repeated : chain.repeated)
    same.repeated.push_back(inCopy(repeated, copy));
  return same;
}

} // namespace ccgraph
