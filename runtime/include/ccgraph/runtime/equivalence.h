// Equivalence: do two programs compute the same from the same inputs?
//
// This is how goldens, property tests and --check-equivalence hold a rewrite to its promise: both
// programs run on the reference interpreter on the same ranks and inputs, and every output and
// every written input is compared.
//
// Ownership: borrows. Failure: none of its own. If one program fails where the other does not,
// they are different; if both fail, nothing is proved. Cost: two runs.
#pragma once

#include "ccgraph/runtime/comparison.h"
#include "ccgraph/runtime/interpreter.h"

namespace ccgraph::runtime {

enum class Verdict : uint8_t {
  Equal,
  Different,
  /// both programs failed: there is nothing to compare
  NotChecked,
};

struct EquivalenceReport {
  Verdict verdict = Verdict::NotChecked;
  /// of the after run with the before run; empty unless both ran
  Comparison comparison;
  /// the diagnostics of a run that failed
  std::string beforeFailure;
  std::string afterFailure;
};

/// Inputs, ranks and objects are those of `before`; of `after` only the graphs are read.
[[nodiscard]] EquivalenceReport checkEquivalence(const RunRequest &before, const std::vector<const Graph *> &after,
                                                 const ComparisonRules &rules);

} // namespace ccgraph::runtime
