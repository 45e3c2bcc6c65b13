// Loads the measured traces of a job, and explains them with the graphs that the job executed.
//
// A path is a trace of PyTorch's profiler (.json, .json.gz), or a folder with the traces of all ranks and, for a
// compiled program, a TORCH_TRACE log or a file with Inductor's mapping of kernels to nodes. Other files of a folder
// are not read.
//
// Ownership: plain values. Failure: a file that cannot be read, a path without any trace, and the errors of matchJob
// (ccgraph/measured/match.h). Cost: that of the readers and of explainJob (ccgraph/measured/explain.h).
#pragma once

#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/durations.h"
#include "ccgraph/ir/machine.h"
#include "ccgraph/measured/explain.h"
#include "ccgraph/toolkit/graph_choice.h"

#include <string>
#include <vector>

namespace ccgraph {

struct MeasuredFiles {
  std::string origin; ///< the paths, for messages
  std::vector<RankProfile> profiles;
  std::vector<KernelProvenance> provenance;
};
[[nodiscard]] llvm::Expected<MeasuredFiles> loadMeasuredFiles(llvm::ArrayRef<std::string> paths);

/// The graphs that each step of a job executes.
struct ExecutedGraphs {
  std::vector<measured::ExecutedGraph> graphs; ///< first those that were given
  GraphList read;                              ///< owns those that were not
};
struct ExecutedGraphsRequest {
  Context &context;
  const GraphInput &input;                      ///< of the given graphs
  llvm::ArrayRef<std::unique_ptr<Graph>> given; ///< at least one; must outlive the result
  llvm::ArrayRef<std::string> files;            ///< of further graphs, each of one graph
};
/// Returns the given graphs, those of the files, and for a log the other graphs of the training step: Inductor's
/// results, if the given graph is one, since these are what runs. Several graphs are labelled by role and compilation,
/// or by their names.
[[nodiscard]] llvm::Expected<ExecutedGraphs> executedGraphs(const ExecutedGraphsRequest &request);

[[nodiscard]] llvm::Expected<measured::JobExplanation> explainMeasured(llvm::ArrayRef<measured::ExecutedGraph> graphs,
                                                                       const MeasuredFiles &files);

/// Returns the median time of each node of one of the graphs, for the cost model.
[[nodiscard]] Durations durationsOf(const measured::GraphAccount &graph, std::string origin);

/// Returns the timed collectives of an explained step: the time of the data, without waiting for the last rank.
[[nodiscard]] std::vector<CollectiveSample> samplesOf(const measured::JobExplanation &explanation,
                                                      int64_t ranksPerNode);
/// Returns the collectives whose records state bytes and ranks. A kernel spins until its peers arrive, so of one
/// collective, which is known by its group and its number in the group, the shortest record of all ranks counts.
[[nodiscard]] std::vector<CollectiveSample> samplesOf(llvm::ArrayRef<RankProfile> profiles, int64_t ranksPerNode);

} // namespace ccgraph
