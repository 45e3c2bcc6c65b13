// The module's device calls to PyTorch: implemented with c10/cuda (cuda.cpp) or, where that could not be built, by
// functions that report this (no_cuda.cpp).
//
// Ownership: documented at each function. Failure: c10::Error, except in problem(). Cost: a table lookup.
#pragma once

#include "torch/torch_calls.h"

#include <c10/core/Device.h>
#include <c10/core/DispatchKey.h>

#include <memory>

namespace ccgraph::runtime::devices {

/// Returns the key by which an operator's device kernel is found, or a placeholder where device support is missing.
[[nodiscard]] c10::DispatchKey dispatchKey();
/// See TorchCalls::deviceProblem().
[[nodiscard]] std::string problem();
/// Returns the device of the stream.
[[nodiscard]] c10::Device deviceOf(uintptr_t stream);
/// While this lives, PyTorch enqueues to the stream and allocates memory for it; afterwards its former stream is
/// restored.
[[nodiscard]] std::shared_ptr<void> enterStream(uintptr_t stream);
[[nodiscard]] std::unique_ptr<TorchPool> openPool(uintptr_t stream);

} // namespace ccgraph::runtime::devices
