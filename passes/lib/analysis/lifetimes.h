// Timelines of the lifetimes in a graph (see ccgraph/ir/lifetimes.h for the rules).
//
// Ownership: refers to the graph of the facts. Cost: linear in nodes and accesses. Fails never.
#pragma once

#include "analysis/live_bytes.h"
#include "analysis/program_facts.h"
#include "ccgraph/ir/lifetimes.h"

namespace ccgraph {

/// The live bytes of memory, settled. What a collective on a very long list holds counts to the end,
/// since not all of its waits are known as holders.
[[nodiscard]] LiveBytes liveMemory(Graph &graph, const ProgramFacts &facts);
/// By storage: of its waits only the last is known as a holder (StorageLife::lastWaitOnly), so that whoever moves another of
/// them behind it makes it live longer, which the live bytes do not show.
[[nodiscard]] std::vector<bool> heldByLastWaitOnly(const Graph &graph, const ProgramFacts &facts);
/// The live bytes in flight, settled: each launch's results, from the launch to the last wait
/// that completes it.
[[nodiscard]] LiveBytes liveInFlight(Graph &graph, const ProgramFacts &facts);

} // namespace ccgraph
