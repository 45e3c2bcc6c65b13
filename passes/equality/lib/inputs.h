// The pseudo-random inputs of the single step.
//
// A float is any number of the ring, a bool is 0 or 1, and an integer is below the smallest size that its uses as an
// index allow, which is found by walking back from those uses. An integer that is no index but is compared with a range
// or a number reaches beyond it.
//
// Ownership: values. Failure: a text: an input whose type is unknown or has symbolic sizes. Cost: linear
// in the graph and in the inputs.
#pragma once

#include "array.h"

#include "ccgraph/ir/signature.h"

#include <limits>

namespace ccgraph::equality {

/// Numbers below which an integer input must be.
struct IndexLimit {
  static constexpr int64_t none = std::numeric_limits<int64_t>::max();
  /// where it is an index itself
  int64_t direct = none;
  /// also where integers that are computed from it are indices
  int64_t any = none;
  /// larger than the numbers and ranges with which it is compared; 0: it is not compared
  int64_t compared = 0;
};
/// Returns the limits of all placeholders in order.
[[nodiscard]] std::vector<IndexLimit> indexLimits(const Graph &graph);
/// Returns the bound that a limit gives.
[[nodiscard]] int64_t boundOfLimit(const IndexLimit &limit);

struct DrawnInput {
  Kind kind = Kind::Float;
  IntList sizes;
  /// names the numbers that are drawn
  size_t position = 0;
  /// of integers
  int64_t bound = 2;
};
[[nodiscard]] llvm::Expected<Array> drawInput(const DrawnInput &input, const Field &field);
[[nodiscard]] llvm::Expected<std::vector<Array>> makeInputs(const Graph &graph, const Field &field);

} // namespace ccgraph::equality
