// The user's own graphs of a pipeline's stages, bound to the actions of a schedule.
//
// A stages file (ccgraph/frontend/stages_file.h) names a forward graph and backward graphs for each stage. The graph of
// a rank of the pipeline runs them in the order of the schedule: an action F of a stage is a copy of its forward graph,
// B of its backward, I of its backward_input and W of its backward_weight. So the collectives within the stages, which
// involve other ranks, belong to the job together with the transfers between the stages.
//
//   input of stage s           what stage s - 1 sends: the output of its forward graph
//   output gradient of stage s what stage s + 1 sends: the input gradient of its backward graph
//   unsharded parameters       the results of the graph of UNSHARD, by name, from that action on; one in flight is
//                              waited for at its first use
//   inputs of REDUCE_GRAD      the results of the backward graphs with the same name, summed over the microbatches. A
//                              result in flight is waited for at WAIT_REDUCE_GRAD
//   other inputs of a backward the value of the same name that the forward, or backward_input, of the same microbatch
//                              takes or returns; else an input of the rank that all microbatches share
//
// A rank of the pipeline stands for one rank of the job in each cell of the group of pipelines ("pp"); its stages'
// graphs serve all of these. Without that group, there is one pipeline of ranks 0 to n - 1.
//
// Ownership: the graphs live in the context. Failure: DiagnosticErrors of rule pipeline.graphs: another number of
// stages, microbatches or ranks than that of the schedule, an action without a graph, a value whose type does not fit
// what another graph takes, a group that two stages of one rank describe differently; errors of the readers. Cost: that
// of the readers; the graph of a rank has the nodes of a stage's graphs once for each microbatch.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/pipeline_schedule.h"
#include "ccgraph/jobs/job.h"

#include <memory>
#include <string>
#include <vector>

namespace ccgraph {

/// One graph of a stage.
struct StageGraph {
  std::string path;
  /// null: the stage has no such graph
  std::unique_ptr<Graph> graph;
  /// the placeholder of the value that another stage sends; null if there is none
  const Node *received = nullptr;
  /// the result that is sent to another stage; null if there is none
  const Node *sent = nullptr;
};

struct PipelineStage {
  StageGraph forward;
  StageGraph backward;
  StageGraph backwardInput;
  StageGraph backwardWeight;
  // of a stage whose parameters are sharded
  StageGraph unshard;
  StageGraph reduceGradient;

  /// Returns the graph of a step of computation, of Unshard or of ReduceGradient.
  [[nodiscard]] const StageGraph &of(PipelineActionKind kind) const;
  [[nodiscard]] std::vector<const StageGraph *> all() const;
  /// Returns the graph that takes the gradient of the output: backward, or else backward_input.
  [[nodiscard]] const StageGraph &gradientOfInput() const { return backward.graph ? backward : backwardInput; }
};

struct PipelineStages {
  std::vector<PipelineStage> stages;
  /// One cell for each pipeline, with a rank of the job for each rank of the schedule.
  Group pipelines;

  /// Returns the ranks of the job that a rank of the schedule stands for, ascending.
  [[nodiscard]] std::vector<int64_t> ranksOf(size_t pipelineRank) const;
};

/// Reads the graphs of a stages file, and binds them to the schedule, which must satisfy all rules of
/// verifyPipelineSchedule but pipeline.deadlock.
[[nodiscard]] llvm::Expected<PipelineStages> loadPipelineStages(Context &context, const PipelineSchedule &schedule,
                                                                const std::string &path, Diagnostics &warnings);

/// Returns the graph of one rank of the schedule, which has its transfers.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> pipelineGraph(Context &context, const PipelineSchedule &schedule,
                                                                   size_t rank, const PipelineStages &stages);

/// Adds the graphs of all ranks to a job; each is freed afterwards.
[[nodiscard]] llvm::Error addPipeline(jobs::Job &job, Context &context, const PipelineSchedule &schedule,
                                      const PipelineStages &stages);

} // namespace ccgraph
