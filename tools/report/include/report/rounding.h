// Reports whether a rewrite lets floating-point sums be added in another order, and what keeping their order costs.
//
// A merged sum of more than two ranks may be added in another order (ccgraph/passes/reassociation.h): the graph is the
// same program, and its results may differ by rounding. With --bitwise, no such sum is merged.
//
// Ownership: borrows everything for the call. Failure: none; a second run that fails leaves its time empty. Cost: one
// more run of the pipeline, if such a sum was merged and the graph has at most `mostNodes` nodes.
#pragma once

#include "ccgraph/passes/pass_manager.h"

#include <optional>
#include <string>

namespace ccgraph::report {

struct Rounding {
  size_t merged = 0;            ///< collectives that were merged into a bucket that may add in another order
  std::optional<int64_t> total; ///< picoseconds with --bitwise; empty: not tried
};

struct RoundingQuestion {
  const Graph &after;
  Graph &before; ///< a copy of the input, which this function rewrites
  const Pipeline &pipeline;
  PassManagerOptions options;
};

/// Returns the count alone, without a second run.
[[nodiscard]] Rounding countRounding(const Graph &after, const PipelineRun &run);
[[nodiscard]] Rounding describeRounding(const RoundingQuestion &question, const PipelineRun &run);

/// Returns a text such as "64 sums of floats were merged ..."; empty if none was merged. `total` is the time of the
/// rewritten graph in picoseconds.
[[nodiscard]] std::string roundingText(const Rounding &rounding, int64_t total);

} // namespace ccgraph::report
