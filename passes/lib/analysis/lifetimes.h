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
/// The same of lives that are known already.
[[nodiscard]] LiveBytes liveMemory(Graph &graph, const StorageLives &lives);

} // namespace ccgraph
