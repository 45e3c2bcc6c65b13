// runGolden runs a golden's pipeline on its input, and checks every property of the result that needs no expectation.
//
// It checks for each file: the input verifies. The pipeline runs with all of the manager's own checks (verifier and
// legality checker after each pass). A second run gives the same graph and remarks. The schedule of the run, after
// writing and reading, gives the same graph when it is applied to the input. "unchanged" left the graph byte-identical.
// The output verifies. The graphs before and after give equal values in the reference interpreter, on the stated ranks
// with seeded inputs.
//
// A failed check after a pass is a defect of the pass, and a golden can never expect it: it is a broken promise. Only
// an error that a pass itself reports is an outcome.
//
// Ownership: plain values. Failure: an input or option that cannot be read is an error; broken promises are returned as
// a list. Cost: four runs of a small graph.
#pragma once

#include "support/golden_case.h"

namespace ccgraph::test {

struct GoldenOutcome {
  std::string output;              ///< FX text, or "unchanged\n"; empty if the pipeline failed
  std::string remarks;             ///< one a line
  std::string diagnostics;         ///< from a pass that refused its input; empty otherwise
  std::vector<std::string> broken; ///< properties that do not hold, one message each
};

[[nodiscard]] llvm::Expected<GoldenOutcome> runGolden(const GoldenFile &file);
/// Does the same for a parsed case.
[[nodiscard]] llvm::Expected<GoldenOutcome> runGolden(GoldenCase golden);

} // namespace ccgraph::test
