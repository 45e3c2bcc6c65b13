// Profiler words: PyTorch's profiler's names of collectives and ranks.
//
// Pure functions. Failure: an empty result for unknown words. Cost: negligible.
#pragma once

#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <vector>

namespace ccgraph {

/// Returns the kind of a collective as c10d's backends record it: "allreduce", "_allgather_base".
[[nodiscard]] std::optional<CollectiveKind> kindOfRecord(llvm::StringRef name);
/// Parses "[0, 1, 2, 3]"; empty if the list is abbreviated.
[[nodiscard]] std::vector<int64_t> ranksOfRecord(llvm::StringRef text);

} // namespace ccgraph
