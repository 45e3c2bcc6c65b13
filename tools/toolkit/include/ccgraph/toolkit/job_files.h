// Reads the graphs, or the plans, of a whole job, one after the other.
//
// A job is given as a job file (ccgraph/frontend/job_file.h), as one graph for each rank in order, or as one graph that
// every rank runs. A log of several ranks, or a folder of logs (TORCH_TRACE), gives a job for each compilation, because
// each is run by itself: the graphs of the latest stage that every rank has which compiled it. A rank that has not
// compiled a part of the program again runs its latest graph of that part there. The order in which a log has the first
// compilations is the order in which its rank runs them. Only one graph is in memory at a time, so a job of a thousand
// graphs takes the memory of one.
//
// Ownership: plain values; a graph lives only while it is visited. Failure: DiagnosticErrors with file and line: a file
// that cannot be read, a graph that is wrong by itself, a number of files that does not match. Warnings go to the
// collector. Cost: that of the readers and of the verifier.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/plan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <optional>
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
  /// of a log: the place in the order in which its rank runs the graphs; empty for a graph that is compiled again, and
  /// for one that stands for it
  std::optional<size_t> place = {};
};

/// The graphs that run together.
struct JobDescription {
  /// "0/0 forward"; empty for a job that is not from logs
  std::string compilation;
  std::vector<JobGraph> graphs;
  /// "ranks 0-1, which have not compiled 0/1 forward, run 0/0 forward there"
  std::vector<std::string> assumptions = {};
};

/// Returns which graph each rank runs, for each job of the input. `groups` has no path, one for all graphs, or one for
/// each; it must be empty for a job file, which names its own. For
/// logs, it has at most one path.
[[nodiscard]] llvm::Expected<std::vector<JobDescription>>
describeJobs(llvm::ArrayRef<std::string> paths, llvm::ArrayRef<std::string> groups, Diagnostics &warnings);

/// Receives programs and the ranks that run them; each is freed afterwards.
class JobGraphVisitor {
public:
  virtual ~JobGraphVisitor() = default;
  [[nodiscard]] virtual llvm::Error visit(const Graph &graph, llvm::ArrayRef<int64_t> ranks) = 0;
  [[nodiscard]] virtual llvm::Error visit(const Plan &plan, llvm::ArrayRef<int64_t> ranks) = 0;
};

/// Returns the number of ranks that entries with ranks describe; 0 if no entry has ranks.
[[nodiscard]] size_t ranksOf(llvm::ArrayRef<JobGraph> job);

/// Reads, completes and verifies one graph or plan of a job of so many ranks; 0: what the graph or its groups state.
[[nodiscard]] llvm::Error visitJobGraph(const JobGraph &graph, size_t ranks, Diagnostics &warnings,
                                        JobGraphVisitor &visitor);

} // namespace ccgraph
