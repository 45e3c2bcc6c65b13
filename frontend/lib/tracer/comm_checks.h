// Comm checks: what process groups refuse of c10d's in-place collectives: outputs of other sizes or dtypes than arrive, lists of another
// length than the group, roots outside of it. Messages are PyTorch's own.
//
// Ownership: borrows the call. Failure: the first diagnostic. Cost: linear in the tensors.
#pragma once

#include "tracer/comm_recorder.h"

namespace ccgraph::tracer::detail {

/// Of a call on a group of `ranks` ranks, whose tensors are there and have not failed.
[[nodiscard]] llvm::Error checkComm(const CommCall &call, int64_t ranks);
/// That `root` is one of them; `function` is for the message.
[[nodiscard]] llvm::Error checkRoot(llvm::StringRef function, int64_t root, int64_t ranks);

} // namespace ccgraph::tracer::detail
