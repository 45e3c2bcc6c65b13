// Generates the program that a rank of a pipeline runs in one training step: its stages on all microbatches, in the
// order of a schedule, with the transfers between the ranks.
//
//   PipelineSchedule schedule = cantFail(makePipelineSchedule({.kind = PipelineKind::ZeroBubbleV, .ranks = 4}));
//   generatePipelineRank(context, request, withTransfers(schedule), 0);
//
// Inputs: `tokens_M` of the first stage and `targets_M` of the last, i64[batch, sequence] for each microbatch M, and a
// placeholder for each parameter of the rank's stages. Results: the loss, if the rank has the last stage, then a
// gradient for this rank's part of each parameter, summed over the microbatches, or for a step what its optimizer
// returns. The loss is this rank's part of the
// mean over all tokens of all ranks and microbatches, so all ranks together compute what one rank would compute from
// all tokens.
//
// A transfer is a batch_p2p_ops of one tensor in group "pp", as PyTorch's runtime of pipelines issues it. A receive is
// waited for where its value is used, and all sends at the end. Each weight is gathered at its first use, and its
// gradient is reduced once at the end, as FSDP2 does for microbatches. If the backward is split, the nodes that only
// the gradients of the weights need stand at the place of the BackwardWeight action.
//
// Ownership: the graph is the caller's, and lives in the context. Failure: as generate(); and a model with tied
// weights, fewer layers than stages, loss chunks, a hook of gradients, weights that are gathered again, accumulation,
// or the forward or the backward pass alone. Cost: linear in the nodes times the microbatches.
#pragma once

#include "models/training_step.h"

#include "ccgraph/ir/pipeline_schedule.h"

namespace ccgraph::models {

/// `schedule` satisfies verifyPipelineSchedule and has its transfers. `request.parallel.pipeline` is the number of its
/// ranks, and `request.rank` is a rank of this pipeline rank, or empty.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> generatePipelineRank(Context &context,
                                                                          const GenerateRequest &request,
                                                                          const PipelineSchedule &schedule,
                                                                          int64_t pipelineRank);

/// Returns an error if the model or the request cannot be cut into stages.
[[nodiscard]] llvm::Error checkPipeline(const GenerateRequest &request, const PipelineSchedule &schedule);

} // namespace ccgraph::models
