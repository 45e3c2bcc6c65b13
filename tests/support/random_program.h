// RandomProgram: legal graphs of 2 to 9 ranks, made from a list of numbers.
//
// Each decision takes the next number, so rapidcheck shrinks a failing program by shrinking the
// list: fewer numbers are fewer steps, smaller ones are plainer choices. What comes out obeys every
// rule of the verifier: nothing reads or writes what is in flight, every launch is waited for,
// operands of a launch that reads in flight are not written before its wait. It holds collectives
// of all kinds (functional, in-place, `_out` into buffers and into slices of them, coalesced, inside
// control_deps), several groups with ranks in any order and groups that are objects, views before
// and after waits, pieces (as_strided, other dtypes, complex and back), in-place writes, in-place
// changes of shape, lists of views and of new tensors, collectives that are repeated, waits in another order than their
// launches, and second waits.
//
// A program for PyTorch is one that PyTorch's own gloo ranks run, and to the bit where its inputs
// are small whole numbers: at most 4 ranks, no averages, values kept small enough to be exact.
// It may take its groups out of a device mesh, which the interpreter cannot.
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

enum class ProgramFor : uint8_t { Interpreter, PyTorch };

[[nodiscard]] RandomProgram makeRandomProgram(Context &context, std::vector<uint32_t> numbers,
                                              ProgramFor use = ProgramFor::Interpreter);

/// Some 20 to 240 numbers, as the seed says.
[[nodiscard]] std::vector<uint32_t> randomNumbers(uint32_t seed);

} // namespace ccgraph::test
