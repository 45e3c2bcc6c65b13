// Checks whether the graph of one rank can be the program of every rank.
//
// A single graph is assumed to be the program of every rank, and passes then reorder and merge collectives by rules
// that give the same result on each rank. If ranks run different programs, they would get different orders and hang.
// The graph itself may contradict the assumption:
//
//   splits    an all_to_all sends and expects numbers of rows that cannot be the same on every rank
//   peers     a transfer has a fixed peer, and no rank transfers to itself
//   shards    a gathered dimension is cut to a size that equal shards cannot have; lists of shards have unlike sizes
//   outside   the rank is not in a group on which it communicates
//
// A graph without a contradiction proves nothing; only the graphs of all ranks do (rank_comparison.h).
//
// Ownership: plain values. Failure: none. Cost: linear in the graph.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/toolkit/rank_comparison.h"

#include <string>
#include <vector>

namespace ccgraph {

/// A node that contradicts the assumption.
struct SpmdContradiction {
  std::string rule;    ///< "splits", "peers", "shards" or "outside"
  std::string node;    ///< its name
  std::string message; ///< "all_to_all_single sends [2, 6] rows and expects [2, 3]: other ranks must have other splits"
};

/// Returns the contradictions in program order, including those of subgraphs.
[[nodiscard]] std::vector<SpmdContradiction> spmdContradictions(const Graph &graph);

/// Returns why ranks run different programs: by the graphs of other ranks, else by the graph itself; empty if nothing
/// contradicts that every rank runs this graph.
[[nodiscard]] std::string ranksDifferText(const Graph &graph, const RankComparison &others);

} // namespace ccgraph
