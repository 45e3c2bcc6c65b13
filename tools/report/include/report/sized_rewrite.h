// SizedRewrite rewrites a graph of dynamic shapes for sizes that the user or the trace gives its symbols, and records
// the sizes and the facts of the copy that has them. ccgraph-opt and the C API share it.
//
// Ownership: owns the copies with bound sizes until the next graph. Failure: none; if no schedule can carry the
// decisions over, rewrite() returns nothing and a warning, and the caller rewrites the graph without bound sizes. Cost:
// the passes run twice.
#pragma once

#include "ccgraph/toolkit/bound_sizes.h"
#include "report/summary.h"

namespace ccgraph::report {

class SizedRewrite {
public:
  /// Records which sizes of the graph are bound, and a symbol that has none. `sizes`: all values for which the passes
  /// decide; empty if nothing is decided. `given`: the values that the user gave.
  void describe(const Graph &graph, SymbolValues sizes, const SymbolValues &given, Summary &summary);
  /// Lets the passes decide for the sizes. Returns nothing if no size is bound, or if no schedule can carry the
  /// decisions over: the graph is then unchanged, and `warning` states the reason.
  [[nodiscard]] std::optional<RewriteResult> rewrite(Graph &graph, const RewriteRequest &request, Summary &summary,
                                                     std::string &warning);
  /// Records the facts before and after with the bound sizes. Returns false if no size was bound.
  bool describeFacts(const Graph &graph, Summary &summary) const;

private:
  SymbolValues sizes_; ///< of the graph that is being processed
  std::optional<BoundRewrite> bound_;
};

} // namespace ccgraph::report
