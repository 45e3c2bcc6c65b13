// Equivalence check: the verdict on a graph before and after, on N ranks of the reference interpreter,
// in words.
//
// It puts together what ccgraph/runtime/equivalence.h needs (inputs for every rank, and within which
// tolerance a pipeline may be held) and says what came of it as the summary does:
//   ok: 48 outputs of 4 ranks equal to the bit, seeded inputs
//   ok: 46 of 48 outputs of 4 ranks equal to the bit, 2 not checked: the same number everywhere; seeded inputs
//   NOT CHECKED: 46 of 48 outputs of 4 ranks equal to the bit, 2 not checked: all NaN; seeded inputs
//   FAILED: 2 differences in 48 outputs
// An output that is empty or the same number everywhere is only counted, since no other inputs need
// tell more; one that is NaN or infinite throughout leaves the question open, as do only outputs
// that are not checked: then the answer does not hold.
//
// Ownership: borrows both graphs. Failure: none; that the graphs differ, or that nothing could be
// compared, is an answer. Cost: two runs of the program on N ranks.
#pragma once

#include "ccgraph/passes/pipeline.h"
#include "ccgraph/runtime/equivalence.h"

#include <string>

namespace ccgraph {

/// Bytes of memory that this machine has: what a run may hold here.
[[nodiscard]] int64_t machineMemory();

struct EquivalenceQuestion {
  size_t ranks = 1;
  /// of the inputs, where none are given
  uint64_t seed = 0;
  /// by rank, named as values files name them; empty: seeded (seeded_inputs.h)
  std::vector<TensorMap> inputs;
  ObjectMeanings objects;
  /// some pass may add floating-point numbers in another order: equal within 1e-5 is enough
  bool reassociated = false;
  /// kernel providers that are asked for operators that no builtin kernel computes (RunRequest::kernels)
  std::vector<std::string> kernels;
};

struct EquivalenceAnswer {
  runtime::EquivalenceReport report;
  bool holds = false;
  std::string verdict; ///< one line
  std::string details; ///< differences, or what was not compared and why; lines, maybe none
};

[[nodiscard]] EquivalenceAnswer checkEquivalenceOf(const Graph &before, const Graph &after,
                                                   EquivalenceQuestion question);

/// True if a pass of the pipeline declares that it reorders a reduction.
[[nodiscard]] bool reassociates(const Pipeline &pipeline);

/// "46 of 48 outputs of 4 ranks equal to the bit (12 of 556 elements NaN), 2 not checked: all NaN"; of a comparison
/// without differences.
[[nodiscard]] std::string equalityText(const runtime::Comparison &comparison, const std::string &howEqual,
                                       const std::string &ofRanks = "");

/// A line for each difference, then one for each output that was not checked; the first ten of all these, and how many
/// there are more.
[[nodiscard]] std::string differencesText(const runtime::Comparison &comparison);

} // namespace ccgraph
