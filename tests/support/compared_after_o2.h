// ComparedAfterO2 holds a program after -O2, with its verification and legality check, and its differences from the
// original.
//
// The graph's member `constants` gives the meaning of its objects (ccgraph/frontend/object_file.h).
//
// Ownership: owns the new graph. Failure: `problem`, and no graph if the pipeline failed. Cost: interprets both graphs.
#pragma once

#include "ccgraph/ir/graph.h"

#include <memory>
#include <string>

namespace ccgraph::test {

struct ComparedAfterO2 {
  std::unique_ptr<Graph> graph;
  /// The bitwise difference on seeded inputs; "" if there is none.
  std::string problem;
  /// False if no output could show a difference (comparison.h), such as where all are NaN.
  bool isChecked = false;
};

[[nodiscard]] ComparedAfterO2 compareAfterO2(const Graph &graph, size_t ranks);

} // namespace ccgraph::test
