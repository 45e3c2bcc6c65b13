// Collective samples: timed collectives, for the cost model (`--collectives FILE`).
//
// The content of the file decides which of two formats is read:
//   nccl-tests   The output of `all_gather_perf ... -J out.json`. The name of the program identifies the collective;
//                ranks are the GPUs of all processes, nodes are the host names. Out-of-place times count.
//   Kineto       A trace of PyTorch's profiler: kernels that carry "Collective name", "In msg nelems", ..., with the
//                ranks of their group. A kernel spins until its peers arrive, so the shortest of equal calls counts.
//
// Ownership: plain values; the text may be freed once this returns. Errors, each with its place: a text in neither
// format, results that lack required fields, a file without any timed collective. A collective of a kind that graphs do
// not have (gather, reduce) is skipped. Cost: one pass; memory for one event at a time.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/machine.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace ccgraph {

/// Returns the samples of the file. `ranksPerNode` derives nodes from ranks where the file lists ranks and no hosts.
[[nodiscard]] llvm::Expected<std::vector<CollectiveSample>> readCollectiveSamples(const SourceText &source,
                                                                                  int64_t ranksPerNode);

} // namespace ccgraph
