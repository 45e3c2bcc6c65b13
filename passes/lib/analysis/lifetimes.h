// Lifetimes: which nodes keep a storage alive (see ccgraph/passes/memory.h for the rules).
//
// Ownership: refers to the graph of the facts. Cost: linear in nodes and accesses. Fails never.
#pragma once

#include "analysis/program_facts.h"
#include "analysis/timeline.h"

namespace ccgraph {

/// One storage, as the rules of memory.h have it; bytes are 0 where the size is not known.
struct StorageLife {
  int64_t bytes = 0;
  /// alive on every step: inputs, parameters, what is returned
  bool always = false;
  /// alive from its first holder to the end: in flight and never waited for
  bool forGood = false;
  /// the node that allocates it first, then in program order all that keep it alive, some more than
  /// once; empty where `always`
  llvm::SmallVector<Node *, 4> holders;
};

/// By storage id.
[[nodiscard]] std::vector<StorageLife> storageLives(const ProgramFacts &facts);

/// A settled timeline of memory. `intervals`, if given, receives the interval of each storage
/// (Timeline::IntervalId, or ~0 for a constant).
[[nodiscard]] Timeline memoryTimeline(Graph &graph, const ProgramFacts &facts,
                                      std::vector<Timeline::IntervalId> *intervals = nullptr);
/// A settled timeline of bytes in flight: each launch's results, from the launch to the last wait
/// that completes it.
[[nodiscard]] Timeline inFlightTimeline(Graph &graph, const ProgramFacts &facts);

} // namespace ccgraph
