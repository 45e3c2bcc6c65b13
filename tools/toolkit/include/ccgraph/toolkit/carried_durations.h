// CarriedDurations estimates the nodes of other graphs of a step by the durations of one graph.
//
// A file of durations belongs to one graph, and a log holds several graphs of a step, and Inductor's result for each of
// them. A call of another graph takes as long as the same call of the timed graph: the same operator, with operands and
// a result of the same types, on the same group. The duration of the node with the same name is used if it is such a
// call, else the median of all such calls. The cost model scales its predictions for all other nodes to these.
//
// Ownership: plain values; the timed graph may be edited afterwards. Failure: none; a graph without a common call gets
// no durations. Cost: linear in the nodes.
#pragma once

#include "ccgraph/ir/durations.h"
#include "ccgraph/ir/graph.h"

#include <vector>

namespace ccgraph {

class CarriedDurations {
public:
  CarriedDurations(const Graph &timed, const Durations &durations);
  /// Returns durations, as estimates, for the nodes of another graph.
  [[nodiscard]] Durations of(const Graph &other) const;

private:
  struct Calls {
    llvm::StringMap<int64_t> byName; ///< picoseconds, by the name of the node
    std::vector<int64_t> all;        ///< picoseconds, sorted
    [[nodiscard]] int64_t timeOf(llvm::StringRef node) const;
  };
  std::string origin_;
  llvm::StringMap<Calls> calls_; ///< by operator, types and group
};

} // namespace ccgraph
