// LossReduction: how the elements of a loss become one number.
//
// Ownership: plain values. Failure: through KernelArgs. Cost: linear in the elements that are reduced.
#pragma once

#include "kernels/kernel_args.h"

namespace ccgraph::runtime {

/// Numbered as in every schema of a loss.
enum class LossReduction : uint8_t { None, Mean, Sum };

/// Reads the argument at `index`; `otherwise` is its default in the schema.
[[nodiscard]] LossReduction lossReduction(KernelArgs &args, unsigned index, int64_t otherwise = 1);
/// Returns the elements, their mean or their sum.
[[nodiscard]] Value reduced(KernelArgs &args, const Tensor &elements, LossReduction reduction);

} // namespace ccgraph::runtime
