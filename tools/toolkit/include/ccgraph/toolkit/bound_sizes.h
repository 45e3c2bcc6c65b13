// Bound sizes: a graph of dynamic shapes, scheduled for the sizes that it will have.
//
// Times and bytes of a tensor of s0 rows are not known, so nothing of a graph with dynamic shapes could be scheduled by cost.
// Where values of its symbols are given, the decisions are made on a copy in which the types have these values, and the
// schedule that comes out is applied to the graph itself: its types and its results for other sizes stay as they are, and
// each check runs on it.
//
//   graph    x: f32[s0, 4] ...         bindSizes, s0 = 4096      f32[4096, 4] ...
//   graph    other order, f32[s0, 4]   <- schedule, applied -    passes
//
// Collectives whose own sizes depend on a symbol go into no bucket: a bucket holds for all sizes.
//
// Whether ranks may decide by the values is the caller's question: a value that the user gives is common to all ranks, the
// value of a trace may be that of one rank alone.
//
// Ownership: plain values. Failure: that of the passes, or of a pipeline that no schedule says. Cost: the passes twice.
#pragma once

#include "ccgraph/toolkit/rewrite_graph.h"

#include <string>
#include <utility>
#include <vector>

namespace ccgraph {

/// By name: {"s0", 4096}.
using SymbolValues = std::vector<std::pair<std::string, int64_t>>;

/// "s0=4096" or "s0=4096,s1=8"; sizes are not negative.
[[nodiscard]] llvm::Expected<SymbolValues> parseSymbolValues(llvm::StringRef text);

/// The symbols that types of the graph name, in order of first appearance.
[[nodiscard]] std::vector<std::string> symbolsOf(const Graph &graph);

/// Puts the values into all types. A wait on a collective whose size was bound loses its strides, so that no pass takes
/// the two for one type and merges it.
void bindSizes(Graph &graph, const SymbolValues &values);

struct BoundRewrite {
  /// what the passes did to the copy: times and bytes are those of the bound sizes
  RewriteResult result;
  /// the copy before and after
  std::unique_ptr<Graph> before, after;
};

/// As rewriteGraph, decided for these sizes. `request.schedule` is null: a schedule decides nothing.
[[nodiscard]] llvm::Expected<BoundRewrite> rewriteWithSizes(Graph &graph, const SymbolValues &values,
                                                            RewriteRequest request);

} // namespace ccgraph
