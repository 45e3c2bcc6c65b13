// TraceOrders: the order in which Inductor planned to issue collectives and waits, from a TORCH_TRACE log.
//
// The artifact inductor_collective_schedule is a list of operator names, one list a graph, without times, groups or
// names of nodes. Forward and backward have one each under the same compilation:
//   ["torch.ops._c10d_functional.all_reduce_.default", "torch.ops._c10d_functional.wait_tensor.default"]
//
// Ownership: plain values. Failure: a log that cannot be opened; a payload that is not such a list is skipped. Cost:
// one pass over the log.
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
