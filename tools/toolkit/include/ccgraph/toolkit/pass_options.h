// passOptions returns the options with which the passes run on one graph.
//
// A user chooses a part of them. The rest follows from what was read beside the graph: the machine, the durations, the
// meanings of objects, and whether other ranks run other programs. Every tool that runs passes calls this function, so
// that the same inputs give the same schedule in all tools.
//
// Ownership: the result borrows durations and objects. Failure: none. Cost: constant.
#pragma once

#include "ccgraph/passes/pass_manager.h"

namespace ccgraph {

/// What a tool has read about a graph. The graph is verified, with all its groups.
struct PassSources {
  /// what the user chose: checks, memory budget, --bitwise, --ranks-differ
  const PassManagerOptions &chosen;
  /// empty: the default machine
  const std::optional<Machine> &machine;
  /// null: no durations were given
  const Durations *durations = nullptr;
  const ObjectMeanings &objects;
  /// why other ranks run other programs (ranksDifferText of spmd_evidence.h); empty: nothing shows that they do
  llvm::StringRef ranksDiffer;
};

/// What setMemoryBudget() accepts, for the error of a tool.
inline constexpr llvm::StringLiteral memoryBudgetForms =
    "bytes such as 40GiB, 24.6GiB, 80GB or 1500000, a percentage of the input's peak such as 60%, or unlimited";

/// Sets the budget that a user wrote. Returns false, and changes nothing, if the text is no budget. A percentage is a
/// whole number from 1 to 10000.
[[nodiscard]] bool setMemoryBudget(PassManagerOptions &options, llvm::StringRef text);

[[nodiscard]] PassManagerOptions passOptions(const PassSources &sources);

/// Returns the options of a trial run: it predicts times, and neither bounds, records, explains nor calls back after a
/// change or a failure.
[[nodiscard]] PassManagerOptions trialOptions(PassManagerOptions options);

} // namespace ccgraph
