// RandomProgram generates legal graphs of 2 to 9 ranks from a list of numbers.
//
// Each decision takes the next number, so rapidcheck shrinks a failing program by shrinking the list: fewer numbers
// give fewer steps, smaller numbers give simpler choices. The result follows every rule of the verifier: no node reads
// or writes memory in flight, every launch is awaited, and operands of a launch that reads in flight are not written
// before its wait. It contains collectives of all kinds (functional, in-place, `_out` into buffers and into slices of
// them, coalesced, inside control_deps), several groups with ranks in any order, and groups that are objects. It also
// contains views before and after waits, pieces (as_strided, other dtypes, complex and back), in-place writes, in-place
// changes of shape, lists of views and of new tensors, repeated collectives, pairs of collectives and casts that
// a pass may simplify or that almost fit, waits in another order than their launches, and second waits.
//
// A program for PyTorch is one that PyTorch's own gloo ranks can run, with bitwise equal results if its inputs are
// small whole numbers: at most 4 ranks, no averages, values small enough to be exact. It may take its groups from a
// device mesh, which the interpreter cannot.
//
// Ownership: the caller owns the graph, which lives in `context`. Failure: none; every list of numbers makes a program.
// Cost: linear in the list.
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

/// Returns about 20 to 240 numbers, determined by the seed.
[[nodiscard]] std::vector<uint32_t> randomNumbers(uint32_t seed);

} // namespace ccgraph::test
