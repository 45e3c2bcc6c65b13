// Collective samples: timed collectives, for the cost model (`--collectives FILE`).
//
// Read are, by content:
//   nccl-tests   what `all_gather_perf ... -J out.json` writes. The collective is told by the name of the
//                program; ranks are GPUs of all processes, nodes the host names. Out-of-place times count.
//   Kineto       a trace of PyTorch's profiler: kernels that carry "Collective name", "In msg nelems", ..., with
//                the ranks of their group. A kernel spins until its peers arrive, so of equal calls the shortest counts.
//
// Ownership: plain values; the text may go once this returns. Errors: a text that is neither, results that lack what is
// needed, a file without any timed collective; each with its place. A collective of a kind that graphs do not have
// (gather, reduce) is passed over. Cost: one pass; memory for one event at a time.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/machine.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace ccgraph {

/// Samples as they stand in the file. `ranksPerNode` tells nodes where the file gives ranks and no hosts.
[[nodiscard]] llvm::Expected<std::vector<CollectiveSample>> readCollectiveSamples(const SourceText &source,
                                                                                  int64_t ranksPerNode);

} // namespace ccgraph
