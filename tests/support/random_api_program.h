// RandomApiProgram generates legal programs in the tracing API from a seed.
//
// The programs contain operators of every family on matrices of 8 or 16 rows and columns, views of computed values, and
// writes in place, also through views. They contain every collective of the API on groups in each of their forms:
// functional and autograd forms, lists, synchronous in-place calls, and c10d's own on wrapped tensors, whose waits are
// at the first use. A quarter of the programs are differentiated: they contain only operators with a gradient, and the
// gradients.
//
// Values stay small, so that every output can distinguish programs.
//
// Ownership: the caller owns the graph, which lives in `context`; this thread must have no trace. Failure: an error of
// the API is the error of the result. Cost: about 60 to 300 nodes.
#pragma once

#include "ccgraph/ir/graph.h"

#include <memory>

namespace ccgraph::test {

struct RandomApiProgram {
  std::unique_ptr<Graph> graph;
  size_t ranks = 2;
  bool isDifferentiated = false;
};

[[nodiscard]] llvm::Expected<RandomApiProgram> makeRandomApiProgram(Context &context, uint32_t seed);

} // namespace ccgraph::test
