// ComparedAfterO2: a program after -O2, verified and checked for legality on the way, and how it differs from what it was.
//
// Objects that the graph holds mean what its own member `constants` says (ccgraph/frontend/object_file.h).
//
// Ownership: owns the new graph. Failure: `problem`, and no graph where the pipeline failed. Cost: both graphs are interpreted.
#pragma once

#include "ccgraph/ir/graph.h"

#include <memory>
#include <string>

namespace ccgraph::test {

struct ComparedAfterO2 {
  std::unique_ptr<Graph> graph;
  /// What is different on seeded inputs, to the bit; "" where nothing is.
  std::string problem;
};

[[nodiscard]] ComparedAfterO2 compareAfterO2(const Graph &graph, size_t ranks);

} // namespace ccgraph::test
