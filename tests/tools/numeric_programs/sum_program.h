// SumProgram: a random program that computes gradients, sums them over ranks in one of many forms, and updates values.
//
// One seed decides what is computed, another one how: each sum over ranks is an all_reduce, part of a bucket, two
// chunks, a reduce_scatter with an all_gather, two levels of groups, a ring or a tree of additions, or a lower dtype;
// a sum within a rank is whole or split. Moves that keep all bits lie between. So programs of one seed are one function
// of their inputs in exact arithmetic.
//
// Ownership: the caller owns the graph. Failure: none. Cost: some ten to hundred nodes.
#pragma once

#include "support/random.h"

#include "ccgraph/ir/graph.h"

#include <memory>

namespace ccgraph::test {

/// The numbers with which a program computes.
enum class SumNumbers : uint8_t {
  /// its own dtype
  Own,
  /// f64 throughout
  Exact,
  /// f64, with sums in place of differences: on magnitudes of the inputs it gives the magnitude of each output
  Magnitudes,
};

struct SumProgram {
  std::unique_ptr<Graph> graph;
  size_t ranks = 2;
};

struct SumSeeds {
  /// what is computed
  uint64_t values = 0;
  /// how the sums are made
  uint64_t forms = 0;
  /// what keeps all bits: the order of two operands, exact casts, copies and joins
  uint64_t moves = 0;
  /// what does not: roundings, swapped halves, writes, other numbers; 0: none
  uint64_t changes = 0;
};

[[nodiscard]] SumProgram makeSumProgram(Context &context, const SumSeeds &seeds, SumNumbers numbers);

} // namespace ccgraph::test
