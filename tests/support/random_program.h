// RandomProgram: legal graphs of 2 to 9 ranks, made from a list of numbers.
//
// Each decision takes the next number, so rapidcheck shrinks a failing program by shrinking the
// list: fewer numbers are fewer steps, smaller ones are plainer choices. What comes out obeys every
// rule of the verifier: nothing reads or writes what is in flight, every launch is waited for,
// operands of a launch that reads in flight are not written before its wait. It holds collectives
// of all kinds (functional, in-place, `_out`, coalesced), several groups with ranks in any order,
// views before and after waits, in-place writes, waits in another order than their launches, and
// second waits.
//
// Ownership: the graph is the caller's and lives in `context`. Failure: none; every list of numbers
// makes a program. Cost: linear in the list.
#pragma once

#include "ccgraph/ir/graph.h"

#include <memory>
#include <vector>

namespace ccgraph::test {

struct RandomProgram {
  std::unique_ptr<Graph> graph;
  size_t ranks = 2;
};

[[nodiscard]] RandomProgram makeRandomProgram(Context &context, std::vector<uint32_t> numbers);

} // namespace ccgraph::test
