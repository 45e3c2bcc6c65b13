// Finds the steps of a job that executes several compiled graphs in each of them; match.h describes how.
//
// Ownership: the result owns its texts. Failure: a profile in which no graph is executed. Cost: the events of the first
// executions of each compiled graph once for each given graph; then linear in the events.
#pragma once

#include "rank_steps.h"

namespace ccgraph::measured {

/// Returns whether the profile shows executions of compiled graphs.
[[nodiscard]] bool executesCompiled(const RankProfile &profile);

/// `ranks` are the numbers of the profiles. Returns the job without `graphs`.
[[nodiscard]] llvm::Expected<MatchedJob> matchSequences(const MatchRequest &request, llvm::ArrayRef<int64_t> ranks);

/// Names the call as one of several graphs: "mm of forward 0/0".
void nameByGraph(Call &call, llvm::StringRef label);

} // namespace ccgraph::measured
