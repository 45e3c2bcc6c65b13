// What the module asks of PyTorch where a device is concerned: the half of it that names c10/cuda (cuda.cpp), or, where that could not be built,
// one that says so (no_cuda.cpp).
//
// Ownership: as each function says. Failure: c10::Error, but for problem(). Cost: a table's look-up.
#pragma once

#include "torch/torch_calls.h"

#include <c10/core/Device.h>
#include <c10/core/DispatchKey.h>

#include <memory>

namespace ccgraph::runtime::devices {

/// By which an operator's kernel of a device is found: of what stands in for it where the half is missing.
[[nodiscard]] c10::DispatchKey dispatchKey();
/// As TorchCalls::deviceProblem().
[[nodiscard]] std::string problem();
/// Of the stream.
[[nodiscard]] c10::Device deviceOf(uintptr_t stream);
/// As long as this lives, PyTorch enqueues to the stream and takes memory for it; then to what it was before.
[[nodiscard]] std::shared_ptr<void> enterStream(uintptr_t stream);
[[nodiscard]] std::unique_ptr<TorchPool> openPool(uintptr_t stream);

} // namespace ccgraph::runtime::devices
