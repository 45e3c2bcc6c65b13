// Reads the graphs, or the plans, of a whole job, one after the other.
//
// A job is given as a job file (ccgraph/frontend/job_file.h), as one graph for each rank in order, or as one graph that
// every rank runs. A log of several ranks, or a folder of logs (TORCH_TRACE), gives a job for each compilation, because
// each is run by itself: the graphs of the latest stage that every rank has which compiled it. A rank that has not
// compiled a part of the program again runs its latest graph of that part there. The order in which a log has the first
// compilations is the order in which its rank runs them. A few graphs are in memory at a time, so a job of a thousand
// graphs takes the memory of these.
//
// Ownership: plain values; a graph lives only while it is visited. Failure: DiagnosticErrors with file and line: a file
// that cannot be read, a graph that is wrong by itself, a number of files that does not match. Warnings go to the
// collector. Cost: that of the readers and of the verifier.
#pragma once

#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/plan.h"
#include "ccgraph/ir/storage.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>
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

/// Returns the job of a job file that is already open.
[[nodiscard]] llvm::Expected<JobDescription> describeJobFile(const InputFile &file);

/// Receives programs and the ranks that run them; each is freed afterwards.
class JobGraphVisitor {
public:
  virtual ~JobGraphVisitor() = default;
  [[nodiscard]] virtual llvm::Error visit(const Graph &graph, const StorageMap &storages,
                                          llvm::ArrayRef<int64_t> ranks) = 0;
  [[nodiscard]] virtual llvm::Error visit(const Plan &plan, llvm::ArrayRef<int64_t> ranks) = 0;
};

/// Returns the number of ranks that entries with ranks describe; 0 if no entry has ranks.
[[nodiscard]] size_t ranksOf(llvm::ArrayRef<JobGraph> job);

/// One graph or plan of a job in memory.
class LoadedJobGraph {
public:
  virtual ~LoadedJobGraph() = default;
  /// Calls the visitor, and adds the place in the file to its error.
  [[nodiscard]] virtual llvm::Error visit(JobGraphVisitor &visitor) const = 0;
};

struct JobGraphRequest {
  const JobGraph *graph = nullptr;
  /// the number of ranks of its job; 0: what the graph or its groups state
  size_t ranks = 0;
};

/// Reads, completes and verifies graphs in their order, a few of them ahead on threads of their own. So at most
/// `mostAhead` graphs are in memory besides the one that the caller holds.
class JobGraphStream {
public:
  static constexpr size_t mostAhead = 3;
  explicit JobGraphStream(std::vector<JobGraphRequest> requests);
  ~JobGraphStream();
  JobGraphStream(const JobGraphStream &) = delete;
  JobGraphStream &operator=(const JobGraphStream &) = delete;

  /// Call it once for each request. Returns the graph of the next request, or why it cannot be read.
  [[nodiscard]] llvm::Expected<std::unique_ptr<LoadedJobGraph>> next(Diagnostics &warnings);

private:
  struct Ahead;
  void startReading();

  std::vector<JobGraphRequest> requests_;
  /// how many requests have been started
  size_t started_ = 0;
  std::unique_ptr<Ahead> ahead_;
};

} // namespace ccgraph
