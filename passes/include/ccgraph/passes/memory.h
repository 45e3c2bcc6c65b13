// Peak memory of a graph, as budgets count it.
//
// A storage lives from the step that allocates it to the last step that names a value which may
// share it; what a collective reads or writes in flight lives on to the wait on its result (to the
// last of them for a list); placeholders, get_attr values and what the output returns live from the
// first step to the last. A size that is not known counts 0, because every rank must come to the
// same number. The peak is the largest sum at any one step, operands and results of that step
// included.
//
// It is a number to compare two orders of one program by, not what an allocator will report: no
// rounding, no fragmentation, no workspace of kernels.
//
// Ownership: reads only. Cost: O(nodes + edges). Fails never.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

/// Bytes on one rank, and where.
struct MemoryPeak {
  int64_t bytes = 0;
  /// the first step that needs so much; null for an empty graph
  const Node *at = nullptr;
};
/// Of the graph itself, without its subgraphs.
[[nodiscard]] MemoryPeak peakMemory(const Graph &graph);

} // namespace ccgraph
