// Comparison: whether two runs are equal for the caller of the graph, and if not, where and by how much they differ.
//
// compareObservations compares everything that a caller sees (observation.h), by position: the number and kinds of
// results, each value, its strides, shared memory, and the written inputs and attributes. Strides of dimensions of size
// 1 do not count, since no address depends on them. compareRuns compares values alone, by name; it serves recorded
// values. In both, an input that only one side wrote is compared with its original value, since a write that changes
// nothing is no difference.
//
// Two elements are equal if their bytes are, or both are NaN, or they lie within the tolerance of
// their output:
//   |got - expected| <= atol + rtol * |expected|
// All NaNs are equal, whatever their sign and payload, because IEEE 754 does not define which operand's NaN an
// operation passes on. A complex number is compared by its parts: (NaN, 1) is not (NaN, 2).
//
// An equal output is evidence only if another graph could produce a different one. Some outputs cannot distinguish
// graphs: those that are empty, that are all NaN or infinite, or that depend on inputs and yet repeat one number in at
// least two elements on all ranks. They count as not checked and are reported.
//
// Ownership: plain values; the compared values are borrowed for the call. Failure: none; a missing output or one with
// other sizes is a difference. Cost: linear in the elements. Where the two sides share memory differently: quadratic in
// the tensors that share it.
#pragma once

#include "ccgraph/ir/host_tensor.h"
#include "ccgraph/ir/tolerance.h"
#include "ccgraph/runtime/observation.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ccgraph::runtime {

/// The required closeness of each output.
struct ComparisonRules {
  ToleranceMap perOutput;
  /// for outputs that perOutput does not name
  Tolerance otherwise;
  /// outputs that no input reaches (fixed_outputs.h); a constant value is expected for them
  std::set<std::string> fixed;
};

/// Values by rank. All three vectors are of one length; `inputs` holds `in.<placeholder>`.
struct ComparedRuns {
  const std::vector<TensorMap> &expected;
  const std::vector<TensorMap> &got;
  const std::vector<TensorMap> &inputs;
};

/// Two runs on the same inputs, by rank; all three vectors are of one length.
struct ComparedObservations {
  const std::vector<RankObservation> &expected;
  const std::vector<RankObservation> &got;
  /// with the names of the inputs in the graph of `expected`
  const std::vector<TensorMap> &inputs;
};

/// One output of one rank that is not equal.
struct Difference {
  size_t rank = 0;
  std::string output;
  /// "element [0, 2] is 3.5, expected 3.25 (1 of 6 elements differ, ...)", or the missing part
  std::string message;
};

/// Why an equal output proves nothing.
enum class Inconclusive : uint8_t {
  Empty,
  NaN,
  /// infinite, or partly NaN
  Infinite,
  /// the same number everywhere, on every rank
  Constant,
};
/// "all NaN".
[[nodiscard]] std::string inconclusiveText(Inconclusive reason);

/// One output of one rank that is equal, but cannot distinguish graphs.
struct Unchecked {
  size_t rank = 0;
  std::string output;
  Inconclusive reason = Inconclusive::Empty;
};

/// The result, and the amount of evidence for it.
struct Comparison {
  /// compared, over all ranks
  size_t outputs = 0;
  size_t elements = 0;
  /// elements that are NaN on both sides, in some part where they are complex
  size_t nans = 0;
  /// elements that are infinite and equal
  size_t infinities = 0;
  /// elements of outputs that are Inconclusive::Constant
  size_t constants = 0;
  /// elements that are equal within a tolerance, but not bitwise
  size_t inexact = 0;
  /// largest |got - expected| of all elements that could be compared
  double worst = 0.0;
  size_t worstRank = 0;
  /// empty where all elements are equal
  std::string worstOutput;
  /// by rank, then in the caller's order: results, outputs, inputs, attributes; by name where only names are known
  std::vector<Difference> differences;
  /// in the order of `differences`
  std::vector<Unchecked> unchecked;

  [[nodiscard]] bool equal() const { return differences.empty(); }
  /// Returns true if equal() is conclusive: something was checked, and no output was NaN or infinite throughout. Other
  /// inputs might have shown a difference in such an output.
  [[nodiscard]] bool answered() const;
};

[[nodiscard]] Comparison compareObservations(const ComparedObservations &runs, const ComparisonRules &rules);

/// Compares outputs in name order, rank by rank. An output of only one side is a difference, except an input that only
/// one side wrote.
[[nodiscard]] Comparison compareRuns(const ComparedRuns &runs, const ComparisonRules &rules);

} // namespace ccgraph::runtime
