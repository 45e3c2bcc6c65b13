// SPMD evidence: whether the graph of one rank can be the program of every rank.
//
// A lone graph is taken to be every rank's program, and passes then reorder and merge collectives by rules that each
// rank derives alike. Where ranks run different programs, the ranks would derive different orders and hang. The graph
// itself may contradict the assumption:
//
//   splits    an all_to_all sends and expects numbers of rows that cannot be the same on every rank
//   peers     a transfer has a fixed peer, and no rank transfers to itself
//   shards    a gathered dimension is cut to a size that equal shards cannot have; lists of shards have unlike sizes
//   outside   the rank is not in a group on which it communicates
//
// An absent contradiction proves nothing: the graphs of all ranks do (rank_comparison.h).
//
// Ownership: plain values. Failure: none. Cost: linear in the graph.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/toolkit/rank_comparison.h"

#include <string>
#include <vector>

namespace ccgraph {

/// One node that contradicts the assumption.
struct SpmdContradiction {
  std::string rule;    ///< "splits", "peers", "shards" or "outside"
  std::string node;    ///< its name
  std::string message; ///< "all_to_all_single sends [2, 6] rows and expects [2, 3]: other ranks must have other splits"
};

/// In program order, those of subgraphs included.
[[nodiscard]] std::vector<SpmdContradiction> spmdContradictions(const Graph &graph);

/// Why ranks run different programs, in words: what the graphs of other ranks show, else what the graph itself does;
/// empty where nothing contradicts that every rank runs this one.
[[nodiscard]] std::string ranksDifferText(const Graph &graph, const RankComparison &others);

} // namespace ccgraph
