// Equivalence: do two programs compute the same from the same inputs?
//
// This is how goldens, property tests and --check-equivalence hold a rewrite to its promise: both
// programs run on the reference interpreter on the same ranks and inputs, which they get by position,
// and all that a caller sees is compared (comparison.h). It is evidence, not proof: it holds for these
// inputs, where the legality checker argues for all.
//
// Ownership: borrows both programs and the inputs, which no run changes. Failure: none of its own.
// If one program fails where the other does not, they are different; if both fail, nothing is
// proved. Cost: two runs, and the memory of both runs' outputs.
#pragma once

#include "ccgraph/runtime/comparison.h"
#include "ccgraph/runtime/interpreter.h"

namespace ccgraph::runtime {

enum class Verdict : uint8_t {
  Equal,
  Different,
  /// nothing differs, and that proves too little: both programs failed, nothing could be checked, or an output is NaN or
  /// infinite throughout (Comparison::answered)
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

/// Inputs, ranks and objects are those of `before`; of `after`, which has one graph or one a rank,
/// only the graphs are read. Its placeholders may have other names.
[[nodiscard]] EquivalenceReport checkEquivalence(const RunRequest &before, const std::vector<const Graph *> &after,
                                                 const ComparisonRules &rules);

} // namespace ccgraph::runtime
