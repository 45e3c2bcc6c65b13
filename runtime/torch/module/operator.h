// One operator of PyTorch's dispatcher, called boxed by its schema.
//
// Results go to the caller's windows through the overload with outputs. This overload has the same parameters and
// additional written ones, whatever their names (`out`, `grad_input`, `values`). It must have kernels wherever the
// operator has.
//
// Ownership: lives as long as the module. Failure: see TorchOperator. Cost: that of the dispatcher.
#pragma once

#include "torch/torch_calls.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph::runtime {

/// `overloads` are all of the operator's name. Returns null where it has no kernel, or cannot be called with values
/// alone.
[[nodiscard]] std::unique_ptr<TorchOperator> makeOperator(const c10::OperatorHandle &op,
                                                          const std::vector<c10::OperatorHandle> &overloads);

} // namespace ccgraph::runtime
