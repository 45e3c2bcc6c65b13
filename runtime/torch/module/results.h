// The results of an operator on the stack: returned to the caller, or copied to windows.
//
// Ownership: nothing is kept. Failure: c10::Error. Cost: a copy of each result that is not in its destination.
#pragma once

#include "torch/torch_calls.h"

#include <ATen/core/stack.h>

namespace ccgraph::runtime {

/// Reports the results of an operator on the host; several results are a list.
void tellAll(const torch::jit::Stack &stack, TorchResults &results);
/// Copies, on the stream that is current, each result to its window, unless it is there.
void leaveIn(const TorchFill &call, const torch::jit::Stack &stack, c10::Device device);

} // namespace ccgraph::runtime
