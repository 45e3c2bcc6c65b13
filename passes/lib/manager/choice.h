// Choice: how the passes that choose nodes choose.
//
// Each of these passes chooses for the best schedule of its own changes. What a later pass gains from a choice is
// unknown to it, so its choice under a smaller budget may end in a faster step. So the passes that choose nodes run on
// a copy of the graph under each of a fixed list of budgets up to the budget of the pipeline, and the rest of the
// pipeline evaluates what they chose, within the whole budget:
//
//   for each limit of full effort (schedule/overlap/memory_limits.h) up to the budget, and the budget itself:
//     nodes = passes that choose nodes, under the limit
//     step  = the other passes, under the budget
//   the limit of the fastest step is the budget of the choices
//
// A pass that frees memory (Pass::freesMemory()) makes the step slower by itself. If such a pass changes the program,
// the limits up to 125 % of the peak, and the budget if it is no larger, are tried with these passes too.
//
// On a machine with a link to the host, recompute-values computes values again, and then offloads others. Instead, it
// may compare the two for each value (PassContext::actionPerValue()). Of the limits and the budget, those below the
// peak of the input are tried in this way too.
//
// The list of a larger budget contains that of a smaller one, and no schedule is slower within a larger budget. So a
// budget gives no slower step than any smaller budget of the list. Of the limits below its peak, a program of more than
// 6000 nodes has only the largest; and a program of more than 12,000 nodes has only the budget itself, without the
// passes that free memory.
//
// Ownership: refers to the graph and its analyses; they remain as they are. Failure: a pass that fails under a budget
// is not run under it; the run of the pipeline reports the error. Cost: the passes once for each budget; a search of a
// program is recorded, with its results for all smaller budgets, so it is not repeated. Choices with and without the
// passes that free memory are found at the same time if the machine has two threads; the result does not depend on it.
#pragma once

#include "ccgraph/passes/pass.h"

namespace ccgraph {

struct Choice {
  /// bytes; empty: the budget of the pipeline
  std::optional<int64_t> budget;
  /// the passes that free memory are run
  bool freesMemory = false;
  /// recompute-values compares the two ways to free the memory of a value for each value
  bool actionPerValue = false;
};

/// Returns the choice for the passes that choose nodes, which begin the list. The setting is that of the pipeline, with
/// the peak of its input.
[[nodiscard]] Choice chooseForStep(const Graph &graph, llvm::ArrayRef<std::unique_ptr<Pass>> passes,
                                   const PassSetting &setting);

/// Returns true if these passes, of which the first one chooses nodes, need a choice: if a search for schedules
/// follows.
[[nodiscard]] bool needsChoice(llvm::ArrayRef<std::unique_ptr<Pass>> passes);

} // namespace ccgraph
