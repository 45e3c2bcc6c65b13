// knownOrders returns what Inductor chose for the chosen graph of a log, as starts of the search (known_order.h).
//
// Ownership: plain values. Failure: where Inductor's result cannot be used, a warning states the reason, and there is
// no order. Cost: that of reading one more graph of the log, if the pipeline searches an order and the log has another
// form of the graph.
#pragma once

#include "driver/opt_input.h"

namespace ccgraph::driver {

struct KnownOrdersQuestion {
  OptInput &input;
  const Pipeline &pipeline;
  /// prepares a graph that was just read as the chosen graph was prepared
  std::function<llvm::Error(Graph &)> prepare;
};

/// `graph` is the chosen graph, as passes get it.
[[nodiscard]] std::vector<KnownOrder> knownOrders(const KnownOrdersQuestion &question, const Graph &graph,
                                                  llvm::raw_ostream &warnings);

} // namespace ccgraph::driver
