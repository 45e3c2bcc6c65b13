// The output of summaries: on the standard output, or on the standard error where that has a graph or a diff. As text,
// with colors on a terminal, as JSON, or as lists of exposed collectives.
//
// Failure: none here; the stream keeps its own error. Cost: linear in what is printed.
#pragma once

#include "driver/opt_options.h"
#include "driver/streams.h"
#include "report/summary.h"

namespace ccgraph::driver {

/// Prints the summaries of all graphs of a run, in their order.
void printSummaries(const OptOptions &options, llvm::ArrayRef<report::Summary> summaries, Streams streams);

} // namespace ccgraph::driver
