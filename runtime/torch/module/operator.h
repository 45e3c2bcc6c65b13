// One operator of PyTorch's dispatcher, called boxed by its schema.
//
// Results go where the caller says by the overload that takes outputs, which is the one with the same parameters and some that are written
// besides, whatever their names (`out`, `grad_input`, `values`); there must be kernels of it wherever there are of the operator.
//
// Ownership: lives as long as the module. Failure: as TorchOperator says. Cost: that of the dispatcher.
#pragma once

#include "torch/torch_calls.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph::runtime {

/// `overloads`: all of the operator's name. Null where it runs nowhere, or is none that can be called with values alone.
[[nodiscard]] std::unique_ptr<TorchOperator> makeOperator(const c10::OperatorHandle &op,
                                                          const std::vector<c10::OperatorHandle> &overloads);

} // namespace ccgraph::runtime
