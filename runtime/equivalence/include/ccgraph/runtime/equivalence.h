// Equivalence: whether two graphs compute the same results from the same inputs.
//
// Goldens, property tests and --check-equivalence test rewrites with it. Both graphs run on the reference interpreter
// on the same ranks and inputs, matched by position, and everything that a caller sees is compared (comparison.h). It
// is evidence, not proof: it holds for these inputs, while the legality checker covers all inputs.
//
// Ownership: borrows both graphs and the inputs, which no run changes. Failure: none of its own. If only one graph
// fails, they differ; if both fail, the result is NotChecked. Cost: two runs, and the memory of both runs' outputs.
#pragma once

#include "ccgraph/runtime/comparison.h"
#include "ccgraph/runtime/interpreter.h"

namespace ccgraph::runtime {

enum class Verdict : uint8_t {
  Equal,
  Different,
  /// nothing differs, but the evidence is too weak: both graphs failed, nothing could be checked, or an output is NaN
  /// or infinite throughout (Comparison::answered)
  NotChecked,
};

struct EquivalenceReport {
  Verdict verdict = Verdict::NotChecked;
  /// of the second run with the first; empty unless both ran
  Comparison comparison;
  /// the diagnostics of a run that failed
  std::string beforeFailure;
  std::string afterFailure;
};

/// Inputs, ranks and objects are those of `before`. `after` has one graph or one a rank; only the graphs are read, and
/// their placeholders may have other names.
[[nodiscard]] EquivalenceReport checkEquivalence(const RunRequest &before, const std::vector<const Graph *> &after,
                                                 const ComparisonRules &rules);

} // namespace ccgraph::runtime
