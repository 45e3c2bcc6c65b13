// checkGuards: compares the guards of a program (guard.h) with the groups and the rank that it has now.
//
// A run has more information than a text: the rank, and the number of ranks. There the members of a group are those
// that the run has, and the default group (description "default_pg") is all of them. An unknown fact contradicts
// nothing: the rank, if one text serves every rank; groups, if no table gives their members.
//
// Ownership: nothing is kept. Failure: guards.fact for each fact that is different. Cost: linear in the guards, times
// the ranks of a group.
#pragma once

#include "ccgraph/ir/guard.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

class Graph;
class Plan;

/// One rank of a run.
struct RunPlace {
  int64_t rank = 0;
  /// number of ranks of the run
  int64_t ranks = 1;
};

/// Returns an error with each guard that is false for the program as written, or, if `place` is given, for this rank of
/// a run.
[[nodiscard]] llvm::Error checkGuards(const Graph &graph, std::optional<RunPlace> place = std::nullopt);
[[nodiscard]] llvm::Error checkGuards(const Plan &plan, std::optional<RunPlace> place = std::nullopt);

} // namespace ccgraph
