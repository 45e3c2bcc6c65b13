// Tally: how the elements of one output compare.
//
// Ownership: plain values; tensors are borrowed for the call. Both have one dtype and the same sizes.
// Failure: none; elements of a dtype that nothing computes with are compared by their bytes. Cost:
// linear in the elements.
#pragma once

#include "ccgraph/runtime/comparison.h"

#include <optional>

namespace ccgraph::runtime {

struct Tally {
  size_t different = 0;
  size_t nans = 0;
  size_t infinities = 0;
  size_t inexact = 0;
  double worst = 0.0;      ///< over all elements
  double worstExcess = -1; ///< over the elements that differ: distance beyond the tolerance
  size_t worstElement = 0; ///< where that is
};

[[nodiscard]] Tally compareElements(const HostTensor &expected, const HostTensor &got, const Tolerance &tolerance);

/// "element [0, 2] is 3.5, expected 3.25 (1 of 6 elements differ; held bitwise)"; of a tally with a difference.
[[nodiscard]] std::string differenceText(const HostTensor &expected, const HostTensor &got, const Tally &tally,
                                         const Tolerance &tolerance);

/// The bytes that all of at least two elements have; empty where they differ or are fewer.
[[nodiscard]] llvm::StringRef constantBytes(const HostTensor &tensor);

} // namespace ccgraph::runtime
