// Plain values as the dispatcher takes them.
//
// Ownership: tensors borrow the memory of their windows. Failure: c10::Error. Cost: an allocation or two a value.
#pragma once

#include "torch/torch_calls.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>

namespace ccgraph::runtime {

/// `device`: where the memory is.
[[nodiscard]] at::Tensor tensorOver(const TorchTensor &window, c10::Device device);
/// Converts to the parameter's type. Tensors are on `device`, whatever device a graph names.
[[nodiscard]] c10::IValue convert(const TorchArgument &argument, const c10::Argument &parameter, c10::Device device);

} // namespace ccgraph::runtime
