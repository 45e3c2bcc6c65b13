// placeContraction: the product of two tensors, as an einsum. Products of matrices, linear layers and convolutions,
// in which channels are summed, use it.
//
// Ownership: values. Failure: findings of the call; the axis is then undecided. Cost: linear in the letters and axes.
#pragma once

#include "placed_call.h"

namespace ccgraph::placements {

/// One tensor of a product, and the letter of each of its dimensions.
struct Lettered {
  HeldOperand operand;
  std::string letters;
};

/// Returns the product whose dimensions are `letters`; the letters that it lacks are summed.
[[nodiscard]] Held placeContraction(PlacedCall &call, Lettered left, Lettered right, std::string letters);

} // namespace ccgraph::placements
