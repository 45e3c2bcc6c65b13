// Writes the views that the flags request, after a pipeline has run.
//
// Ownership: borrows summary and texts for the call. Failure: the system's error about a file. Cost: that of the
// writers.
#pragma once

#include "ccgraph/ir/graph.h"
#include "driver/streams.h"
#include "driver/view_flags.h"
#include "report/compare_orders.h"
#include "report/summary.h"

namespace ccgraph::driver {

/// Returns the form of a graph that a diff compares: FX text with one node a line, without source comments and without
/// deletions such as `; a = None`.
[[nodiscard]] llvm::Expected<std::string> diffedText(const Graph &graph);

struct ViewedRun {
  /// its run holds both schedules where the flags want them
  const report::Summary &summary;
  /// diffedText() before and after, where a diff is asked for
  std::string before = {}, after = {};
};

/// Returns the remarks that --remarks prints and --remarks-file holds: all remarks, or those that match the pattern.
[[nodiscard]] std::vector<Remark> wantedRemarks(const ViewFlags &flags, const PipelineRun &run);

[[nodiscard]] llvm::Error writeViews(const ViewFlags &flags, const ViewedRun &run, Streams streams);

/// The report of two orders of a graph of this name.
[[nodiscard]] llvm::Error saveComparison(const std::string &path, llvm::StringRef graph,
                                         const report::OrdersCompared &orders);

} // namespace ccgraph::driver
