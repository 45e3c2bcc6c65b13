// Compares a graph before and after passes on N ranks of the reference interpreter, and returns the verdict as text.
//
// It provides the arguments of ccgraph/runtime/equivalence.h (inputs for every rank, and the tolerance of a run of
// passes) and formats the result for the summary:
//   ok: 48 outputs of 4 ranks bitwise equal, seeded inputs
//   ok: 46 of 48 outputs of 4 ranks bitwise equal, 2 not checked: the same number everywhere; seeded inputs
//   NOT CHECKED: 46 of 48 outputs of 4 ranks bitwise equal, 2 not checked: all NaN; seeded inputs
//   FAILED: 2 differences in 48 outputs
// An output that is empty or has the same number everywhere is only counted, since other inputs need not give more
// information. If an output is NaN or infinite throughout, or no output was checked, the check does not hold.
//
// Ownership: borrows both graphs. Failure: none; a difference, or a comparison that was not possible, is an answer.
// Cost: two runs of the program on N ranks.
#pragma once

#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/passes/pipeline.h"
#include "ccgraph/runtime/equivalence.h"

#include <string>

namespace ccgraph {

/// Returns the bytes of memory of this machine, the limit for a run.
[[nodiscard]] int64_t machineMemory();

struct EquivalenceQuestion {
  size_t ranks = 1;
  /// seed of the inputs, if none are given
  uint64_t seed = 0;
  /// by rank, with the names of values files; empty: seeded (seeded_inputs.h)
  std::vector<TensorMap> inputs;
  ObjectMeanings objects;
  /// absolute and relative difference that results may have; 0: bitwise equality is required
  double tolerance = 0;
  /// kernel providers that are asked for operators that no builtin kernel computes (RunRequest::kernels)
  std::vector<std::string> kernels;
};

struct EquivalenceAnswer {
  runtime::EquivalenceReport report;
  bool holds = false;
  std::string verdict; ///< one line
  std::string details; ///< differences, or what was not compared and why; lines, may be empty
};

[[nodiscard]] EquivalenceAnswer checkEquivalenceOf(const Graph &before, const Graph &after,
                                                   EquivalenceQuestion question);

/// Returns the largest tolerance that a pass declares which changed the graph in this run of the pipeline; 0 if results
/// are bitwise equal.
[[nodiscard]] double toleranceOf(const Pipeline &pipeline, const PipelineRun &run);

/// Returns a text such as "46 of 48 outputs of 4 ranks bitwise equal (12 of 556 elements NaN), 2 not checked: all
/// NaN" for a comparison without differences.
[[nodiscard]] std::string equalityText(const runtime::Comparison &comparison, const std::string &howEqual,
                                       const std::string &ofRanks = "");

/// Returns a line for each difference, then one for each output that was not checked: the first ten lines, and the
/// number of the others.
[[nodiscard]] std::string differencesText(const runtime::Comparison &comparison);

} // namespace ccgraph
