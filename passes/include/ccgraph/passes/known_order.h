// KnownOrder: the order and the buckets that another scheduler chose for a graph, by name, as a start of a search.
//
// A log of torch.compile holds the result of Inductor, which users run without ccgraph. schedule-overlap returns no
// slower step than a known order that fits the memory budget. A known order may be partial, and none of it is trusted:
//
//   order     nodes of the graph in this order; a node without a position is as late as the first node that needs it
//   buckets   collectives of the graph that are one; a bucket that may not be merged is split or left out
//
// Names that the graph does not have, and second mentions of a name, are ignored.
//
// Ownership: plain values. Failure: none. Cost: a string a node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ccgraph {

struct KnownOrder {
  std::vector<std::string> order;
  std::vector<std::vector<std::string>> buckets;
  /// Peak bytes of the program that its scheduler made. Without a budget of the caller, a pipeline may use so much.
  int64_t peakBytes = 0;
};

} // namespace ccgraph
