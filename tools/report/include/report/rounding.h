// Rounding: whether a rewrite lets floating-point sums be added in another order, and what keeping their order costs.
//
// A merged sum of more than two ranks may be added in another order (ccgraph/passes/reassociation.h): the graph is the same
// program, and its results may differ by rounding. With --bitwise no such sum is merged.
//
// Ownership: borrows everything for the call. Failure: none; a second run that fails leaves its time empty. Cost: the
// pipeline once more, where such a sum was merged and the graph has at most `mostNodes` nodes.
#pragma once

#include "ccgraph/passes/pass_manager.h"

#include <optional>
#include <string>

namespace ccgraph::report {

struct Rounding {
  size_t merged = 0;            ///< collectives that went into a bucket and may add in another order there
  std::optional<int64_t> total; ///< picoseconds with --bitwise; empty: not tried
};

struct RoundingQuestion {
  const Graph &after;
  Graph &before; ///< a copy of the input, which is rewritten
  const Pipeline &pipeline;
  PassManagerOptions options;
};

[[nodiscard]] Rounding describeRounding(const RoundingQuestion &question, const PipelineRun &run);

/// "64 sums of floats were merged ..."; empty where none was. `total`: picoseconds as they are.
[[nodiscard]] std::string roundingText(const Rounding &rounding, int64_t total);

} // namespace ccgraph::report
