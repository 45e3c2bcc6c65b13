// runGolden: what the machinery makes of a golden's input, and every promise about it that can be
// checked without the expectation.
//
// Checked for each file: the input verifies; the pipeline runs with all of the manager's own checks
// on (verifier and legality checker after each pass); a second run gives the same graph and
// remarks; the schedule of the run, written, read and applied to the input, gives the same graph; "unchanged" left the graph byte-identical; the output verifies; and before and after,
// executed on the stated ranks by the reference interpreter with seeded inputs, give equal values.
//
// A check after a pass that fails is a defect of the pass, and never what a golden may expect: it is a
// broken promise. Only an error that a pass gives of its own is an outcome.
//
// Ownership: plain values. Failure: an input or option that cannot be read is an error; broken
// promises are a list. Cost: four runs of a small graph.
#pragma once

#include "support/golden_case.h"

namespace ccgraph::test {

struct GoldenOutcome {
  std::string output;              ///< FX text, or "unchanged\n"; empty where the pipeline failed
  std::string remarks;             ///< one a line
  std::string diagnostics;         ///< of a pass that refused its input; empty otherwise
  std::vector<std::string> broken; ///< promises that do not hold, one message each
};

[[nodiscard]] llvm::Expected<GoldenOutcome> runGolden(const GoldenFile &file);
/// The same of a case that was read already.
[[nodiscard]] llvm::Expected<GoldenOutcome> runGolden(GoldenCase golden);

} // namespace ccgraph::test
