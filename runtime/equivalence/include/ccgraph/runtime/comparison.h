// Comparison: are two runs the same to whoever calls the program, and if not, where and by how much?
//
// compareObservations compares all that a caller sees (observation.h), by position: how many results
// there are and of what kind, each value, its strides (not of dimensions of one element, which no
// address depends on), what shares memory with what, and what was written into inputs and attributes.
// compareRuns compares values alone, by name, where no more is known: with recorded ones. In both, an
// input that only one side wrote is compared with what went in, since a write that changes nothing is
// no difference.
//
// Two elements are equal if their bytes are, or both are NaN, or they lie within the tolerance of
// their output:
//   |got - expected| <= atol + rtol * |expected|
// NaNs are equal whatever their sign and payload, because IEEE 754 leaves it open which operand's an
// operation hands on. A complex number is compared by its parts: (NaN, 1) is not (NaN, 2).
//
// An output that is equal proves something only if another program would have given something else.
// One that is all NaN or infinite, or of at least two elements that are the same number on all ranks
// though inputs reach it, or empty, cannot tell programs apart: it is not checked, and said so.
//
// Ownership: plain values; what is compared is borrowed for the call. Failure: none; a missing or
// misshapen output is a difference.
// Cost: linear in the elements. Where memory is shared in another way on the two sides: quadratic in
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

/// How close each output must come.
struct ComparisonRules {
  ToleranceMap perOutput;
  /// for outputs that perOutput does not name
  Tolerance otherwise;
  /// outputs that no input reaches (fixed_outputs.h): that they are the same number everywhere is no gap
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
  /// with the names that the program of `expected` gives its inputs
  const std::vector<TensorMap> &inputs;
};

/// One output of one rank that is not equal.
struct Difference {
  size_t rank = 0;
  std::string output;
  /// "element [0, 2] is 3.5, expected 3.25 (1 of 6 elements differ, ...)", or what is missing
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

/// One output of one rank that is equal, and cannot tell programs apart.
struct Unchecked {
  size_t rank = 0;
  std::string output;
  Inconclusive reason = Inconclusive::Empty;
};

/// The answer, and how much it rests on.
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
  /// elements that are equal within a tolerance, but not to the bit
  size_t inexact = 0;
  /// largest |got - expected| of all elements that could be compared
  double worst = 0.0;
  size_t worstRank = 0;
  /// empty if nothing differed at all
  std::string worstOutput;
  /// by rank, then as a caller counts: results, outputs, inputs, attributes; by name where only names are known
  std::vector<Difference> differences;
  /// in the order of `differences`
  std::vector<Unchecked> unchecked;

  [[nodiscard]] bool equal() const { return differences.empty(); }
  /// True if equal() answers the question: something was checked, and no output was NaN or infinite
  /// throughout, which other inputs might have told apart.
  [[nodiscard]] bool answered() const;
};

[[nodiscard]] Comparison compareObservations(const ComparedObservations &runs, const ComparisonRules &rules);

/// Outputs in name order, rank by rank. One that only one side has is a difference, but for inputs
/// that only one side wrote.
[[nodiscard]] Comparison compareRuns(const ComparedRuns &runs, const ComparisonRules &rules);

} // namespace ccgraph::runtime
