// Wrapper names: detects PyTorch's data-parallel wrappers in a job, by the class names in Dynamo's guards.
//
//   | | +- TYPE_MATCH: ___check_type_id(L['fn'], 93873), type=<class 'torch.nn.parallel...DistributedDataParallel'>
//
// Their communication runs in hooks between compiled graphs, so no graph of the log holds it.
//
// Ownership: none. Failure: none; a log without guards names none. Cost: three searches of the payload.
#pragma once

#include "ccgraph/frontend/trace_log.h"

namespace ccgraph {

/// Returns whether a payload of this kind prints guards.
[[nodiscard]] bool mayNameWrappers(llvm::StringRef kind);

void noteWrappers(llvm::StringRef guards, JobWrappers &wrappers);

} // namespace ccgraph
