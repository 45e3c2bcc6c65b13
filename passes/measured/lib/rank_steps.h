// Finds the steps of one rank and matches their events.
//
// Ownership: the result owns its texts. Failure: none; a profile of another program has no step with a matched event.
// Cost: linear in the events.
#pragma once

#include "profile_view.h"

namespace ccgraph::measured {

struct FoundSteps {
  std::vector<Step> steps;
  std::vector<std::string> notes; ///< each sentence once
};

struct RankSource {
  const ProfileView &view;
  const GraphCalls &graph;
  const GroupTable &groups; ///< of the graph
  int64_t rank = 0;
};

/// Returns the steps of the compiled graph, or of the program, whose events match the graph for the longest time.
[[nodiscard]] FoundSteps findSteps(const RankSource &source);

/// A window in which the graph is executed, and when the next execution of any graph begins: what the threads of a
/// backend record until then belongs to the window.
struct StepWindow {
  HostWindow window;
  int64_t until = 0;
};
/// Returns one step for each window.
[[nodiscard]] FoundSteps stepsIn(const RankSource &source, llvm::ArrayRef<StepWindow> windows);

/// Adds what happens in a window in which no graph is executed; it is no node.
void addOtherEvents(const ProfileView &view, const HostWindow &window, Step &step);

/// Nanoseconds in events that are matched by what they state. The order of launches is no evidence that the profile
/// is of this graph.
[[nodiscard]] int64_t matchedTime(const Step &step);

} // namespace ccgraph::measured
