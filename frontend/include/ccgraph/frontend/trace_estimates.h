// TraceEstimates: PyTorch's own estimates of the times of nodes, from the TORCH_TRACE logs of a job.
//
// Three artefacts are read; no log holds a measured time:
//   fx_compute_nodes_runtime_estimation: a node, its inputs, microseconds as benchmarked and as calculated
//     mm_1 bf16(8192, 2048) bf16(2048, 2048),46.3225,46.3225,1.0000,0.0000,68719476736
//   fx_collectives_analytical_estimation: an operator, its group, its input, milliseconds by NCCL and by Inductor
//     _c10d_functional.all_reduce.default group_size:8 group_name:0 input_bytes:4096,2.1869,2.1869
//   inductor_runtime_and_tensor_meta: JSON of kernels and collectives, as durations_file.h documents it
//
// The first of the two numbers of a line is used. A line of another form is counted and skipped, since other versions
// of PyTorch may print other tables.
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
  std::vector<Durations> kernels; ///< kernels of each inductor_runtime_and_tensor_meta
  size_t passedOver = 0;          ///< lines that hold no estimate
  [[nodiscard]] bool empty() const { return computes.empty() && collectives.empty() && kernels.empty(); }
};

/// Reads the estimates of a log, or of all logs of a folder.
[[nodiscard]] llvm::Expected<TraceEstimates> readTraceEstimates(llvm::StringRef path);

} // namespace ccgraph
