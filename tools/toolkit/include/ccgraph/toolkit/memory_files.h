// Loads a memory snapshot of PyTorch and compares it with the memory that a graph predicts (ccgraph/measured/memory.h).
//
// A snapshot may hold several devices. The one with the most events is compared; of equally many, that with the most
// memory.
//
// Ownership: plain values. Failure: a file that cannot be read, a snapshot of no device, and the errors of
// compareMemory. Cost: that of the reader, and linear in the graph.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/measured/memory.h"

#include <optional>

namespace ccgraph {

/// Returns nothing if the path is empty.
[[nodiscard]] llvm::Expected<std::optional<measured::MemoryComparison>> compareWithSnapshot(const Graph &graph,
                                                                                            llvm::StringRef path);

} // namespace ccgraph
