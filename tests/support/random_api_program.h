// RandomApiProgram: legal programs written in the tracing API, made from a seed.
//
// Operators of every family on matrices of 8 or 16 rows and columns, views of what was computed, writes in place, through views too,
// and every collective of the API: functional and autograd forms, lists, synchronous in-place calls, and c10d's own on wrapped
// tensors, whose waits stand where somebody reads; on groups in each of their forms. A quarter of the programs are differentiated:
// they hold what has a gradient, and their own.
//
// Values stay small, so that no output is one that could not tell programs apart.
//
// Ownership: the graph is the caller's and lives in `context`; this thread must have no trace. Failure: an API that refuses a call is
// the error of the result. Cost: some 60 to 300 nodes.
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
