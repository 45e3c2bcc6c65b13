// Reads the graphs of a whole job, one after the other.
//
// A job is given as a job file (ccgraph/frontend/job_file.h), as one graph for each rank in order, or as one graph that
// every rank runs. A log of several ranks, or a folder of logs (TORCH_TRACE), gives a job for each compilation, because each is run by itself: the
// graphs of the latest stage that every rank has which compiled it. A rank whose log lacks the compilation has no graph
// in that job. Only one graph is in memory at a time, so a job of a thousand graphs takes the memory of one.
//
// Ownership: plain values; a graph lives only while it is visited. Failure: DiagnosticErrors with file and line: a file
// that cannot be read, a graph that is wrong by itself, a number of files that does not match. Warnings go to the
// collector. Cost: that of the readers and of the verifier.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/graph.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ccgraph {

/// One graph of a job.
struct JobGraph {
  std::string path;
  /// path of its group file; empty: the graph has its groups itself
  std::string groups;
  /// ascending; empty: every rank of the job
  std::vector<int64_t> ranks;
  /// which graph of the file; empty: the only one, or the one that chooseGraph prefers
  std::string selector;
};

/// The graphs that run together.
struct JobDescription {
  /// "0/0 forward"; empty for a job that is not from logs
  std::string compilation;
  std::vector<JobGraph> graphs;
};

/// Returns which graph each rank runs, for each job of the input. `groups` has no path, one for all graphs, or one for
/// each; it must be empty for a job file, which names its own. For
/// logs, it has at most one path.
[[nodiscard]] llvm::Expected<std::vector<JobDescription>>
describeJobs(llvm::ArrayRef<std::string> paths, llvm::ArrayRef<std::string> groups, Diagnostics &warnings);

/// Receives a graph and the ranks that run it. The graph is freed afterwards.
using JobGraphVisitor = llvm::function_ref<llvm::Error(const Graph &graph, llvm::ArrayRef<int64_t> ranks)>;

/// Reads, completes and verifies each graph. `ranks` is the number of ranks of a job whose one graph every rank runs;
/// 0: what the graph or its groups state.
[[nodiscard]] llvm::Error visitJobGraphs(llvm::ArrayRef<JobGraph> job, size_t ranks, Diagnostics &warnings,
                                         JobGraphVisitor visit);

} // namespace ccgraph
