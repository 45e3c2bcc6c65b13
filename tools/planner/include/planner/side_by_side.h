// sideBySide runs independent tasks on the threads of the machine.
//
// Ownership: borrows the function. Failure: the error of the first task that has one, in their order. Cost: that of the
// tasks; at most as many threads as the machine runs at once.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace ccgraph::planner {

/// Calls `task` once with each number below `count`. Tasks run in any order.
[[nodiscard]] llvm::Error sideBySide(size_t count, llvm::function_ref<llvm::Error(size_t)> task);

} // namespace ccgraph::planner
