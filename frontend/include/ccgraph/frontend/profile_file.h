// Profile files: traces of PyTorch's profiler (Kineto), and Inductor's mapping of kernels to nodes.
//
//   {"distributedInfo": {"rank": 0, "pg_config": [{"pg_name": "0", "ranks": [0, 1]}]}, "traceEvents": [
//    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 10.5, "dur": 3.25, "pid": 7, "tid": 7},
//    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", ..., "args": {"correlation": 5}},
//    {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_...", ..., "args": {"stream": 20, "correlation": 5,
//     "Collective name": "allreduce", "In msg nelems": 4096, "dtype": "Float", "Process Group Name": "0", "Seq": 3}}]}
//
// The categories cpu_op, user_annotation, cuda_runtime, cuda_driver, kernel, gpu_memcpy and gpu_memset are read; the
// others repeat these or draw arrows. A trace of ccgraph-run holds all ranks, each a process of the name "rank N", and
// names the node of each event.
//
// The mapping is the artifact inductor_provenance_tracking_node_mappings of a TORCH_TRACE log, or a file of it alone:
//   {"cppCodeToPost": {"cpp_fused_relu_0:2": ["relu"], "extern_kernels.mm:3": ["mm_1"]}}
//
// Ownership: plain values; the text may be freed once this returns. Errors: a text that is no such trace, an event
// without its name or times, a trace without any event that is read, each with its place. Cost: one pass; one event of
// JSON is in memory at a time.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/profile.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

/// Returns the profile of each rank of the file: one, unless ccgraph-run wrote the file.
[[nodiscard]] llvm::Expected<std::vector<RankProfile>> readProfiles(const SourceText &source);

/// Returns whether the text has a trace's list of events.
[[nodiscard]] bool isProfile(llvm::StringRef text);
/// Returns whether the text is a mapping alone.
[[nodiscard]] bool isKernelProvenance(llvm::StringRef text);

/// Reads a mapping alone. Kernels are in the order of their calls.
[[nodiscard]] llvm::Expected<KernelProvenance> readKernelProvenance(const SourceText &source);
/// Returns the mappings of a TORCH_TRACE log, one for each compiled graph that has one; none if the log has none.
/// PyTorch 2.15 writes none for a backward graph.
[[nodiscard]] llvm::Expected<std::vector<KernelProvenance>> readLoggedProvenance(llvm::StringRef path);

} // namespace ccgraph
