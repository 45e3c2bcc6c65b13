// TraceOrders: in which order Inductor was going to issue collectives and waits, out of a TORCH_TRACE log.
//
// The artifact inductor_collective_schedule is a list of operators' names, one a graph; it holds no times, no groups and no
// names of nodes, and forward and backward have one each under the same compilation:
//   ["torch.ops._c10d_functional.all_reduce_.default", "torch.ops._c10d_functional.wait_tensor.default"]
//
// Ownership: plain values. Failure: a log that cannot be opened; a payload that is no such list is passed over. Cost: one pass
// over the log.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

struct TraceOrder {
  std::string compileId;
  std::optional<int64_t> rank;
  std::vector<std::string> targets; ///< "_c10d_functional.all_reduce_.default"
};

[[nodiscard]] llvm::Expected<std::vector<TraceOrder>> readTraceOrders(llvm::StringRef path);

} // namespace ccgraph
