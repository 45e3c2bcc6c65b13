// Rank comparison: whether the graphs that a log holds of several ranks are one program, as far as passes can tell.
//
// Graphs of SPMD ranks are rarely equal as texts: groups have other names on each rank, devices other numbers, and each
// rank may have constants of its own (the offset of its part of a vocabulary, the chunk of its shard). No pass decides
// by these. What passes decide by is compared: operators, types, operands, the order of nodes, all arguments of
// collectives but the names of groups (which must correspond one to one), and where views lie in storages that
// something writes.
//
// Ownership: plain values. Failure: none. Cost: programLines is linear in the graph.
#pragma once

#include "ccgraph/ir/graph.h"

#include <string>
#include <vector>

namespace ccgraph {

/// A line for each node in program order; equal for programs that every pass treats alike.
[[nodiscard]] std::vector<std::string> programLines(const Graph &graph);

/// The program of one rank; no lines where the rank has no such graph.
struct RankProgram {
  int64_t rank = 0;
  std::vector<std::string> lines;
};

struct RankComparison {
  /// of which a graph was compared, ascending; empty or one where there was nothing to compare
  std::vector<int64_t> ranks;
  /// "rank 3 runs another program than ranks 0 to 2: ..."; empty where all run one
  std::string difference;
};

/// Which ranks run another program than more than half of them, and where the first difference is.
[[nodiscard]] RankComparison compareRanks(llvm::ArrayRef<RankProgram> programs);

/// "rank 3", "ranks 0 to 2 and 5".
[[nodiscard]] std::string ranksText(llvm::ArrayRef<int64_t> ranks);

} // namespace ccgraph
