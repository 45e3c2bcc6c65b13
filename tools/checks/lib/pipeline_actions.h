// PipelineActions: what the actions of a schedule compute, in the graph of one rank. makePipelineGraph adds the
// transfers between the ranks.
//
// Ownership: the nodes belong to the graph that the implementation was given. Failure: none; what a schedule's actions
// need must exist (verifyPipelineSchedule). Cost: that of the implementation, and linear in the actions.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/pipeline_schedule.h"

#include <vector>

namespace ccgraph {

class PipelineActions {
public:
  virtual ~PipelineActions() = default;
  /// Creates the inputs that precede all calls of this rank.
  virtual void addInputs(size_t rank) = 0;
  /// The types of what a stage sends to the next, and of the gradient that it gets back.
  [[nodiscard]] virtual const Type *outputType(int64_t stage) const = 0;
  [[nodiscard]] virtual const Type *outputGradientType(int64_t stage) const = 0;
  /// Returns the output of the stage. `input` is the output of the stage before; null for stage 0.
  virtual Node *forward(const PipelineAction &action, Node *input) = 0;
  /// Runs a whole backward or one of its halves; returns the gradient of the input, which is not used of stage 0 and of
  /// a gradient of the weights. `gradient` is that of the output; null for the last stage and for the weights.
  virtual Node *backward(const PipelineAction &action, Node *gradient) = 0;
  /// What a stage with sharded parameters does as a whole: gathers them, reduces their gradients, and waits for that.
  virtual void unshard(const PipelineAction &action) = 0;
  virtual void reduceGradients(const PipelineAction &action) = 0;
  virtual void waitForReduction(const PipelineAction &action) = 0;
  /// Returns the results of the rank.
  [[nodiscard]] virtual std::vector<Node *> results() const = 0;
};

/// The schedule with transfers, a rank of it, and the group of the pipeline.
struct PipelineRank {
  const PipelineSchedule &schedule;
  size_t rank = 0;
  std::string group = "pp";
};

/// Adds the actions and transfers of the rank to the graph, whose group is there.
void makePipelineGraph(Graph &graph, const PipelineRank &rank, PipelineActions &actions);

} // namespace ccgraph
