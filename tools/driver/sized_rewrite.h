// SizedRewrite rewrites a graph of dynamic shapes for the sizes that the command line or the trace gives its symbols.
//
// Ownership: borrows options and input; owns the copies with bound sizes until the next graph. Failure: that of the
// passes. If no schedule can carry the decisions over, the graph is rewritten without bound sizes, and a warning
// reports this. Cost: the passes run three times if sizes are bound, else once.
#pragma once

#include "driver/opt_input.h"
#include "report/summary.h"

namespace ccgraph::driver {

class SizedRewrite {
public:
  SizedRewrite(const OptOptions &options, const OptInput &input, llvm::raw_ostream &warnings)
      : options_(options), input_(input), warnings_(warnings) {}

  /// Which sizes of the graph are bound, and a symbol that has none; before it is rewritten.
  void describe(const Graph &graph, const Pipeline &pipeline, report::Summary &summary);
  [[nodiscard]] llvm::Expected<RewriteResult> rewrite(Graph &graph, RewriteRequest request, report::Summary &summary);
  /// Facts before and after with the bound sizes; false where none were bound.
  bool facts(const Graph &graph, report::Summary &summary) const;

private:
  const OptOptions &options_;
  const OptInput &input_;
  llvm::raw_ostream &warnings_;
  SymbolValues sizes_; ///< for the graph that is being processed
  std::optional<BoundRewrite> bound_;
};

} // namespace ccgraph::driver
