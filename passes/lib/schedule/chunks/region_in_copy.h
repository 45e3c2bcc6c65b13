// inCopy: a region or a chain of a graph in a copy of it.
//
// Ownership: nodes belong to their graphs. Failure: none; see in_copy.h. Cost: a search by name for each node.
#pragma once

#include "schedule/chunks/chunk_chain.h"

namespace ccgraph {

[[nodiscard]] ChunkRegion inCopy(const ChunkRegion &region, const Graph &copy);
[[nodiscard]] ChunkChain inCopy(const ChunkChain &chain, const Graph &copy);

} // namespace ccgraph
