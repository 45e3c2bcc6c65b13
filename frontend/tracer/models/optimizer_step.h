// Records the optimizer of a training step: its state as inputs, and the parameters after the step.
//
// Ownership: refers to trace and layout for the call. Failure: see tensor.h. Cost: some recorded nodes for each
// parameter.
#pragma once

#include "models/layout.h"
#include "models/training_step.h"

namespace ccgraph::models {

/// Scales the gradients to the norm of the request. `gradients` are those of the parameters' parts, in their order,
/// summed over all ranks.
[[nodiscard]] std::vector<Tensor> clippedGradients(Layout &layout, double norm, const std::vector<Tensor> &gradients);

/// Returns the parameters after the step; with AdamW, then their averages, their squares, and the count of steps.
[[nodiscard]] std::vector<Tensor> optimizerResults(tracer::Trace &trace, Layout &layout, const GenerateRequest &request,
                                                   const std::vector<Tensor> &gradients);

} // namespace ccgraph::models
