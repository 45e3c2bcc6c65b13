// What the passes share that make the memory of values free for a part of the step (recompute-values, offload-values):
// when they run, how their option `only` names a value, and the remarks on values that stay.
//
// Failure: freeNamed() returns an error of the option. Ownership: refers to graph and context.
#pragma once

#include "ccgraph/passes/pass.h"
#include "schedule/overlap/search.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>

namespace ccgraph {

/// Under which budgets such a pass changes the program: below the peak of the program, or always.
enum class Occasion : uint8_t { BelowPeak, Always };

/// Returns the peak of the program, in bytes, if the pass may change it under the budget of the options; else nothing.
/// A large program gets fewer trial schedules.
[[nodiscard]] std::optional<int64_t> peakToReduce(const Graph &graph, PassContext &context, Occasion when,
                                                  overlap::SearchOptions &options);

/// Returns the text of the option for a value and the step up to which it is kept at most: v.loss.
[[nodiscard]] std::string freedValueText(const Node &value, const Node &after);

/// Frees a value; returns false if it may not be freed after this step.
using FreeValue = llvm::function_ref<bool(const Node *value, const Node *after)>;
/// Frees a value that is named by such a text; returns false if there is none, or if it may not be.
[[nodiscard]] bool freeValue(const Graph &graph, llvm::StringRef text, FreeValue free);
/// Frees all values that the option names. `what` is what may be done with them: "be offloaded".
[[nodiscard]] llvm::Error freeNamed(const Graph &graph, const NodeNames &only, llvm::StringRef what, FreeValue free);

/// Remarks on the values that were tried, each once, and that are not among the chosen ones. Both as texts.
void remarkTried(const Graph &graph, PassContext &context, const Reason &reason, llvm::ArrayRef<std::string> chosen,
                 llvm::ArrayRef<std::string> tried);

/// Remarks on values of a copy of the graph that stay, by the reason of each obstacle.
template <class Obstacle, size_t count>
void remarkKept(const Graph &graph, PassContext &context, const std::array<const Reason *, count> &reasons,
                llvm::ArrayRef<std::pair<const Node *, Obstacle>> kept) {
  for (const auto &[value, obstacle] : kept)
    context.remark(*reasons[static_cast<size_t>(obstacle)], *graph.find(value->name().str()));
}

} // namespace ccgraph
