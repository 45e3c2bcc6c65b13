// What an operator has left on the stack: told to who asked, or left in windows.
//
// Ownership: nothing is kept. Failure: c10::Error. Cost: a copy of each result that is not where it shall be.
#pragma once

#include "torch/torch_calls.h"

#include <ATen/core/stack.h>

namespace ccgraph::runtime {

/// Of an operator on the host; several results are a list.
void tellAll(const torch::jit::Stack &stack, TorchResults &results);
/// Copies, on the stream that is current, each result to its window, unless it is there.
void leaveIn(const TorchFill &call, const torch::jit::Stack &stack, c10::Device device);

} // namespace ccgraph::runtime
