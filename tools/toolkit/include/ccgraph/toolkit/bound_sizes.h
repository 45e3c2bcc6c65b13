// Schedules a graph of dynamic shapes for the sizes that it will have.
//
// The times and bytes of a tensor with s0 rows are unknown, so a graph with dynamic shapes cannot be scheduled by cost.
// If values of its symbols are given, the passes run on a copy whose types have these values. The resulting schedule is
// applied to the graph itself, so its types and its results for other sizes stay the same, and each check runs on it.
//
//   graph    x: f32[s0, 4] ...         bindSizes, s0 = 4096      f32[4096, 4] ...
//   graph    other order, f32[s0, 4]   <- schedule, applied -    passes
//
// A collective whose own size depends on a symbol is not merged into a bucket, since a bucket must be valid for all
// sizes. It may be cut into pieces whose ends the program computes: chunk-collectives makes the same nodes in the copy
// as in the graph (ccgraph/ir/bound_types.h), so the schedule names them. The legality checker proves what the passes
// did on the graph, for all sizes; only the memory of the given sizes is checked on the copy.
//
// The caller decides whether ranks may use the values: a value that the user gives is common to all ranks; a value of
// the trace may hold for one rank only.
//
// Ownership: plain values. Failure: an error of the passes, or of a pipeline that a schedule cannot represent. Cost:
// the passes run twice.
#pragma once

#include "ccgraph/ir/bound_types.h"
#include "ccgraph/toolkit/rewrite_graph.h"

#include <string>
#include <vector>

namespace ccgraph {

/// Parses "s0=4096" or "s0=4096,s1=8"; sizes are not negative.
[[nodiscard]] llvm::Expected<SymbolValues> parseSymbolValues(llvm::StringRef text);

/// Returns the symbols in the types of the graph, in order of first appearance.
[[nodiscard]] std::vector<std::string> symbolsOf(const Graph &graph);

/// Which values the times of a graph rest on: those given, of two for one symbol the last, and for other symbols the
/// trace's own where `usesHints`. Symbols that no type names are left out.
[[nodiscard]] SymbolValues sizesFor(const Graph &graph, const SymbolValues &given, bool usesHints);

struct BoundRewrite {
  /// the passes' result for the copy: times and bytes are those of the bound sizes
  RewriteResult result;
  /// the copy before and after
  std::unique_ptr<Graph> before, after;
};

/// Does the same as rewriteGraph, with decisions for these sizes. `request.schedule` must be null, since a schedule
/// leaves nothing to decide.
[[nodiscard]] llvm::Expected<BoundRewrite> rewriteWithSizes(Graph &graph, const SymbolValues &values,
                                                            RewriteRequest request);

} // namespace ccgraph
