// TraceEstimates: how long PyTorch thought that the steps of a job take, out of its TORCH_TRACE logs.
//
// Read are three artefacts; no log holds a measured time:
//   fx_compute_nodes_runtime_estimation     mm_1 bf16(8192, 2048) bf16(2048, 2048),46.3225,46.3225,1.0000,0.0000,68719476736
//                                           a node, its inputs, microseconds: as benchmarked, as worked out
//   fx_collectives_analytical_estimation    _c10d_functional.all_reduce.default group_size:8 group_name:0 input_bytes:4096,2.1869,2.1869
//                                           an operator, its group, what goes in, milliseconds: by NCCL, by Inductor
//   inductor_runtime_and_tensor_meta        JSON of kernels and collectives, as durations_file.h has it
//
// Of the two numbers of a line the first is taken. A line that is not as above is counted and passed over: such a table is
// a help, and other versions may print others.
//
// Ownership: plain values. Failure: a log that cannot be opened. Cost: one pass over the log; memory of one payload.
#pragma once

#include "ccgraph/ir/durations.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ccgraph {

struct ComputeEstimate {
  std::string node;   ///< "mm_1"
  std::string inputs; ///< "bf16(8192, 2048) bf16(2048, 2048)"
  int64_t picoseconds = 0;
};

struct CollectiveEstimate {
  std::string target; ///< "_c10d_functional.all_reduce.default"
  std::string group;
  int64_t inputBytes = 0;
  int64_t picoseconds = 0;
};

struct TraceEstimates {
  std::string origin; ///< path of the log or the folder
  std::vector<ComputeEstimate> computes;
  std::vector<CollectiveEstimate> collectives;
  std::vector<Durations> kernels; ///< of each inductor_runtime_and_tensor_meta
  size_t passedOver = 0;          ///< lines that are no estimates
  [[nodiscard]] bool empty() const { return computes.empty() && collectives.empty() && kernels.empty(); }
};

/// Of a log, or of all logs of a folder.
[[nodiscard]] llvm::Expected<TraceEstimates> readTraceEstimates(llvm::StringRef path);

} // namespace ccgraph
