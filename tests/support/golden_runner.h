// runGolden: what the machinery makes of a golden's input, and every promise about it that can be
// checked without the expectation.
//
// Checked for each file: the input verifies; the pipeline runs with all of the manager's own checks
// on (verifier and legality checker after each pass); a second run gives the same graph and
// remarks; "unchanged" left the graph byte-identical; the output verifies; and before and after,
// executed on the stated ranks by the reference interpreter with seeded inputs, give equal values.
//
// Ownership: plain values. Failure: an input or option that cannot be read is an error; broken
// promises are a list. Cost: four runs of a small graph.
#pragma once

#include "support/golden_file.h"

namespace ccgraph::test {

struct GoldenOutcome {
  std::string output;              ///< FX text, or "unchanged\n"; empty where the pipeline failed
  std::string remarks;             ///< one a line
  std::string diagnostics;         ///< of a pipeline that failed; empty otherwise
  std::vector<std::string> broken; ///< promises that do not hold, one message each
};

[[nodiscard]] llvm::Expected<GoldenOutcome> runGolden(const GoldenFile &file);

} // namespace ccgraph::test
