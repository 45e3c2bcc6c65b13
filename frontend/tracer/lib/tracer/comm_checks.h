// Comm checks: the errors of process groups on c10d's in-place collectives: outputs whose sizes or dtypes differ from
// the received tensors, lists whose length differs from the group, roots outside the group. Messages are PyTorch's own.
//
// Ownership: borrows the call. Failure: the first diagnostic. Cost: linear in the tensors.
#pragma once

#include "tracer/comm_recorder.h"

namespace ccgraph::tracer::detail {

/// Checks a call on a group of `ranks` ranks, whose tensors are present and have not failed.
[[nodiscard]] llvm::Error checkComm(const CommCall &call, int64_t ranks);
/// Checks that `root` is one of the ranks; `function` is for the message.
[[nodiscard]] llvm::Error checkRoot(llvm::StringRef function, int64_t root, int64_t ranks);

} // namespace ccgraph::tracer::detail
