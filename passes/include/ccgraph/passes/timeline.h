// Timeline: when everything of a graph happens, as its order and the cost model have it.
//
// Streams as frameworks run them: computation is one stream in program order, each group is another.
// A collective starts when computation has come to its launch and its group is done with what was
// launched before. At a wait, computation idles until the transfer has ended: so long it is *exposed*.
// What ends after the last step is exposed too. All times are picoseconds from the start of the
// program.
//
// Where the machine says so (ccgraph/ir/machine.h), transfers of two groups that run at once share the links of their
// level, computation is slower while a transfer runs, and a read by the host costs the time for which the stream runs
// dry; else each is as fast as if it were alone. How the cost model prices a node is another matter: shared links only
// stretch what it says.
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
  /// name of its group, as the graph has it
  std::string group;
  /// the larger of what a rank sends and what it receives; 0 where that is not known
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

/// `analyses` are of the graph.
[[nodiscard]] Timeline predictTimeline(const Graph &graph, Analyses &analyses, const CostModel &costs);

} // namespace ccgraph
