// Makes the graphs of a pipeline's ranks from a schedule alone: each action is one small computation, and each transfer
// is a batch_p2p_ops of one tensor, as PyTorch's runtime of pipelines issues it. So the checks of jobs and the engines
// apply to a schedule before its stages exist.
//
//   forward of stage s        relu of the activations of stage s - 1, or of an input
//   backward                  add of the gradient of stage s + 1 and the activations of stage s
//   gradient of the weights   neg of the activations of stage s
//
// A receive is waited for where its value is used, and all sends at the end. Results: the gradients of the weights.
//
// Ownership: the graphs are the caller's, and live in the context. Failure: none; the schedule must satisfy all rules
// of verifyPipelineSchedule but pipeline.deadlock. Cost: linear in the actions.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/pipeline_schedule.h"

#include <memory>

namespace ccgraph {

/// The value that one stage sends to the next.
struct PipelineValue {
  std::vector<int64_t> sizes = {1};
  DType dtype = DType::BF16;
  std::string device = "cuda:0";
};

/// `schedule` has its transfers. The group "pp" has ranks 0 to n - 1.
[[nodiscard]] std::unique_ptr<Graph> pipelineGraph(Context &context, const PipelineSchedule &schedule, size_t rank,
                                                   const PipelineValue &value = {});

} // namespace ccgraph
