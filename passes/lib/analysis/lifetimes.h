// Timelines of the lifetimes in a graph (see ccgraph/ir/lifetimes.h for the rules).
//
// Ownership: refers to the graph of the facts. Cost: linear in nodes and accesses. Fails never.
#pragma once

#include "analysis/program_facts.h"
#include "analysis/timeline.h"
#include "ccgraph/ir/lifetimes.h"

namespace ccgraph {

/// A settled timeline of memory. What a collective on a very long list holds counts to the end,
/// since not all of its waits are known as holders. `intervals`, if given, receives the interval of
/// each storage (Timeline::IntervalId, or ~0 for what is alive on every step).
[[nodiscard]] Timeline memoryTimeline(Graph &graph, const ProgramFacts &facts,
                                      std::vector<Timeline::IntervalId> *intervals = nullptr);
/// A settled timeline of bytes in flight: each launch's results, from the launch to the last wait
/// that completes it.
[[nodiscard]] Timeline inFlightTimeline(Graph &graph, const ProgramFacts &facts);

} // namespace ccgraph
