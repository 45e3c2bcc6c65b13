// MemoryNeed: the memory that a run needs, computed from the types before anything is allocated.
//
// All ranks run concurrently in one process, and collectives keep them in step: when one is at its peak, the others are
// near theirs. So N ranks need N times the memory of one: the caller's inputs, its values at the worst node
// (peakMemory() of lifetimes.h), and its outputs. An unknown size counts 0, so the result is a lower bound; the run
// itself still counts every byte.
//
// Plain values. Failure: checkMemory's error has rule run.memory, the figures and the repair. Cost: that of
// peakMemory(), once for each graph.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace ccgraph::runtime {

/// Bytes, of all ranks together.
struct MemoryNeed {
  int64_t inputs = 0;
  /// values at the worst node, copies of the inputs included
  int64_t peak = 0;
  int64_t outputs = 0;

  /// Returns the bytes of a run whose inputs are generated.
  [[nodiscard]] int64_t toRun() const;
  /// Returns the bytes of a run whose inputs are generated, and whose outputs are kept for a comparison with another
  /// run.
  [[nodiscard]] int64_t toCompare() const;
};

/// One graph that serves every rank, or one for each.
[[nodiscard]] MemoryNeed memoryNeed(llvm::ArrayRef<const Graph *> graphs, size_t ranks);

/// Fails if `bytes` for `ranks` ranks are more than `limit`.
[[nodiscard]] llvm::Error checkMemory(int64_t bytes, size_t ranks, int64_t limit);

} // namespace ccgraph::runtime
