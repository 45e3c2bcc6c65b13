// Live bytes of a graph over its program order (see ccgraph/ir/lifetimes.h for the rules).
//
// Ownership: refers to the graph of the facts. Failure: none. Cost: linear in nodes and accesses.
#pragma once

#include "analysis/live_bytes.h"
#include "analysis/program_facts.h"
#include "ccgraph/ir/lifetimes.h"

namespace ccgraph {

/// Returns the live bytes of memory, settled. Tensors that a collective on a very long list accesses count as live to
/// the end, since not all of its waits are recorded as holders.
[[nodiscard]] LiveBytes liveMemory(Graph &graph, const ProgramFacts &facts);
/// Returns the same for lives that are already computed.
[[nodiscard]] LiveBytes liveMemory(Graph &graph, const StorageLives &lives);

} // namespace ccgraph
