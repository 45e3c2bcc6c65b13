// Generates what a rank of a pipeline runs for one stage, in parts: each part is a program of its own, whose time and
// memory a plan can predict without the program of all microbatches (pipeline_step.h).
//
//   part        runs                          inputs                               results
//   Gather      once, before the microbatches shards of the parameters             gathered weights
//   Forward     for each microbatch           tokens or states, gathered weights   states or loss, then saved values
//   Backward    for each microbatch           saved values, gradient of states,    gradient of the input states, then
//                                             sums of the gradients before         sums of the gradients
//   Microbatch  Forward and Backward, for     those of both, without saved values  those of both, without saved
//               their memory                                                       values; sums are written in place
//   Gradients   Forward and Backward, for     those of Microbatch, without sums    output, gradients; parallelisms that
//               their least time                                                   differ in the weights' distribution
//                                                                                  only have it in common
//   Update      once, after the microbatches  shards, sums, optimizer's state      what the optimizer returns
//   Transfer    for each microbatch           states                               none: the states are sent
//
// Ownership: the graph is the caller's, and lives in the context. Failure: as generatePipelineRank. Cost: linear in the
// layers of the stage.
#pragma once

#include "models/training_step.h"
#include "models/transformer.h"

namespace ccgraph::models {

enum class StageProgram : uint8_t { Gather, Forward, Backward, Microbatch, Gradients, Update, Transfer };

/// `request.parallel.pipeline` is the number of ranks of the pipeline. The loss is that of one microbatch.
struct StageRequest {
  const GenerateRequest &request;
  ModelPart part;
};

[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> generateStage(Context &context, const StageRequest &stage,
                                                                   StageProgram program);

/// Returns true for a gathered weight, which a rank holds for all microbatches.
[[nodiscard]] bool isGatheredWeight(const Node &input);
/// Returns true for the sum of a parameter's gradients, which a rank holds from its first backward on.
[[nodiscard]] bool isGradientSum(const Node &input);
/// Returns true for the gradient of a stage's output, which arrives after the forward pass.
[[nodiscard]] bool isOutputGradient(const Node &input);

} // namespace ccgraph::models
