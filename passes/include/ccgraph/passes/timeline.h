// Timeline: when each node of a graph runs, given its order and the cost model.
//
// Streams are as in frameworks: computation is one stream in program order, each group is another. A collective starts
// when the compute stream has reached its launch and the earlier collectives of its group have ended. At a wait, the
// compute stream stalls until the collective has ended; this time is *exposed*. Communication that ends after the last
// node is exposed too. All times are picoseconds from the start of the program.
//
// Some machines (ccgraph/ir/machine.h) have contention. Concurrent transfers of two groups share the links of their
// level, and computation is slower while a transfer runs. A read by the host costs the time for which the stream is
// empty. On other machines each node is as fast as if it ran alone. Contention only stretches the costs of the cost
// model; it does not change how the model computes them.
//
// Ownership: plain values, names and no nodes, so that a timeline outlives edits. Failure: none.
// Cost: linear in nodes; one cost each.
//
// Ownership: plain values, names and no nodes, so that a timeline outlives edits. Failure: none.
// Cost: linear in nodes; one price each.
#pragma once

#include "ccgraph/passes/analyses.h"
#include "ccgraph/passes/cost.h"

namespace ccgraph {

struct CollectiveTime {
  /// name of the launch
  std::string node;
  /// name of its group, as in the graph
  std::string group;
  /// the larger of the bytes that a rank sends and receives; 0 if unknown
  int64_t bytes = 0;
  int64_t begin = 0;
  int64_t end = 0;
  int64_t exposed = 0;
};

struct Timeline {
  int64_t total = 0;
  int64_t compute = 0;
  /// total - compute
  int64_t exposed = 0;
  /// in program order
  std::vector<CollectiveTime> collectives;
};

/// `analyses` must be those of `graph`.
[[nodiscard]] Timeline predictTimeline(const Graph &graph, Analyses &analyses, const CostModel &costs);

} // namespace ccgraph
