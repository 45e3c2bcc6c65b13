// keptRepetitions, withKept: the repeated collectives that may be removed, and the problem of the program without them.
//
// Ownership: nodes belong to the graph; the problem refers to that of the program. Failure: none.
// Cost: that of RepeatedCollectives; linear in steps, edges and holders.
#pragma once

#include "rewrite/repeated_collectives.h"
#include "schedule/overlap/graph_problem.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ccgraph {

/// Whether results of unknown size are included, which a prediction cannot judge.
enum class UnknownSizes : bool { LeaveOut, Include };

/// Returns the repetitions that may be removed together, in program order. `refused` is called for each other one.
[[nodiscard]] std::vector<Repetition>
keptRepetitions(const Graph &graph, const ProgramFacts &facts, bool spmd,
                llvm::function_ref<void(const Repetition &, RepetitionObstacle)> refused,
                UnknownSizes unknown = UnknownSizes::LeaveOut);

/// Returns the problem of the program without these repetitions: the first result stands for the second one.
[[nodiscard]] overlap::Problem withKept(const overlap::Problem &problem, llvm::ArrayRef<Node *> nodes,
                                        const ProgramFacts &facts, llvm::ArrayRef<Repetition> kept);

} // namespace ccgraph
