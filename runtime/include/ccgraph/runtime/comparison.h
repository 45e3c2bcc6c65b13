// Comparison: are two runs' outputs the same, and if not, where and by how much?
//
// Compared are `out.<index>` and `after.<placeholder>` of every rank. An input that only one side
// wrote is compared with what went in, since a write that changes nothing is no difference.
// Values are equal if their bytes are, or both are NaN, or they lie within the tolerance of their
// output:
//   |got - expected| <= atol + rtol * |expected|
//
// Ownership: plain values; HostTensors are borrowed for the call. Failure: none; a missing or
// misshapen output is a difference.
// Cost: one comparison of bytes where all is equal, else linear in the elements.
#pragma once

#include "ccgraph/ir/host_tensor.h"
#include "ccgraph/ir/tolerance.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ccgraph::runtime {

/// How close each output must come.
struct ComparisonRules {
  ToleranceMap perOutput;
  /// for outputs that perOutput does not name
  Tolerance otherwise;
};

/// Values by rank. All three vectors are of one length; `inputs` holds `in.<placeholder>`.
struct ComparedRuns {
  const std::vector<TensorMap> &expected;
  const std::vector<TensorMap> &got;
  const std::vector<TensorMap> &inputs;
};

/// One output of one rank that is not equal.
struct Difference {
  size_t rank = 0;
  std::string output;
  /// "element [0, 2] is 3.5, expected 3.25 (1 of 6 elements differ, ...)", or what is missing
  std::string message;
};

/// The answer, and how much it rests on.
struct Comparison {
  /// compared, over all ranks
  size_t outputs = 0;
  size_t elements = 0;
  /// elements that are NaN on both sides: equal, but they prove little
  size_t nans = 0;
  /// elements that are equal within a tolerance, but not to the bit
  size_t inexact = 0;
  /// largest |got - expected| of all elements that could be compared
  double worst = 0.0;
  size_t worstRank = 0;
  /// empty if nothing differed at all
  std::string worstOutput;
  /// by rank, then name
  std::vector<Difference> differences;

  [[nodiscard]] bool equal() const { return differences.empty(); }
};

/// Outputs in name order, rank by rank. One that only one side has is a difference, but for inputs
/// that only one side wrote.
[[nodiscard]] Comparison compareRuns(const ComparedRuns &runs, const ComparisonRules &rules);

} // namespace ccgraph::runtime
