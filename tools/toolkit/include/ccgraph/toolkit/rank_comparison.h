// Compares the graphs of several ranks in a log: whether they are one program for every pass.
//
// Graphs of SPMD ranks are rarely equal as texts: each rank has its own names of groups, numbers of devices, and
// possibly constants (the offset of its part of a vocabulary, the chunk of its shard). No pass uses these for a
// decision. The comparison covers everything that passes use: operators, types, operands, the order of nodes, all
// arguments of collectives except group names (which must correspond one to one), and the offsets of views in storages
// that are written.
//
// Ownership: plain values. Failure: none. Cost: programLines is linear in the graph.
#pragma once

#include "ccgraph/ir/graph.h"

#include <string>
#include <vector>

namespace ccgraph {

/// Returns a line for each node in program order; the lines are equal for programs that every pass treats alike.
[[nodiscard]] std::vector<std::string> programLines(const Graph &graph);

/// The program of one rank, without lines if the rank has no such graph.
struct RankProgram {
  int64_t rank = 0;
  std::vector<std::string> lines;
};

struct RankComparison {
  /// the ranks whose graphs were compared, ascending; empty or one rank if there was nothing to compare
  std::vector<int64_t> ranks;
  /// "rank 3 runs another program than ranks 0 to 2: ..."; empty if all run one program
  std::string difference;
};

/// Returns which ranks run another program than the majority, and where the first difference is.
[[nodiscard]] RankComparison compareRanks(llvm::ArrayRef<RankProgram> programs);

/// Returns a text such as "rank 3" or "ranks 0 to 2 and 5". ccgraph/ir/text.h lists each rank.
[[nodiscard]] std::string rankRangesText(llvm::ArrayRef<int64_t> ranks);

} // namespace ccgraph
