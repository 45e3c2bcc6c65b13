// The modes of ccgraph-opt that run no pass: --list-graphs, and --compare of two orders.
//
// Ownership: nothing outlives a call. Failure: printed on streams.err; the exit code states the kind of failure
// (command_line.h). Cost: that of reading the files; for --compare also two predicted timelines.
#pragma once

#include "driver/opt_input.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// Lists the graphs of a file, log or folder. Plans are not listed, because the reader of graphs rejects them.
[[nodiscard]] ExitCode listGraphsOf(const OptOptions &options, Streams streams);

/// Two orders of one graph.
struct OrderPair {
  const Graph &first;
  const Graph &second;
};

/// Compares the predicted steps of two orders, for the same machine and durations.
[[nodiscard]] ExitCode compareOrders(const OptOptions &options, const OptInput &input, OrderPair orders,
                                     Streams streams);

} // namespace ccgraph::driver
