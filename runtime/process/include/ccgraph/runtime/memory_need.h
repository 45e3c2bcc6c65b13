// MemoryNeed: what it takes to run a program, told from its types before anything is allocated.
//
// All ranks run side by side in one process, and collectives keep them so: when one is at its peak, the others are near
// theirs. So N ranks need N times what one does: its inputs as the caller gives them, its values at the worst step (peakMemory()
// of lifetimes.h), and its outputs. A size that is not known counts 0: it is the least that the program needs, and the run itself
// still counts every byte.
//
// Plain values. Failure: checkMemory's error has rule run.memory, the figures and the repair. Cost: that of peakMemory(), once for
// each graph.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace ccgraph::runtime {

/// Bytes, of all ranks together.
struct MemoryNeed {
  int64_t inputs = 0;
  /// values at the worst step, copies of the inputs included
  int64_t peak = 0;
  int64_t outputs = 0;

  /// What a run takes whose inputs are made for it.
  [[nodiscard]] int64_t toRun() const;
  /// What a run takes whose inputs are made for it, and whose outputs are kept for another run to be compared with.
  [[nodiscard]] int64_t toCompare() const;
};

/// One graph that serves every rank, or one for each.
[[nodiscard]] MemoryNeed memoryNeed(llvm::ArrayRef<const Graph *> graphs, size_t ranks);

/// An error if `bytes` for `ranks` ranks are more than `limit`.
[[nodiscard]] llvm::Error checkMemory(int64_t bytes, size_t ranks, int64_t limit);

} // namespace ccgraph::runtime
