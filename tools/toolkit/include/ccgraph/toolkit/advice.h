// advise: what else would make a step shorter, found by trying it.
//
// A schedule is the best that was found for a program, a machine, a memory budget and a pipeline. What lies outside of
// that is for the user to change: more memory, a longer search, a group of their own for collectives that queue behind
// others, an all_reduce in two halves, which may add numbers in another order. Each is tried on a copy of the program,
// with the same passes and checks, so what is promised is what a user gets who gives the flags.
//
// Ownership: plain values; `input` is left as it is. Failure: none: what cannot be tried is no advice. Cost: a run of the
// pipeline for each thing that is tried, some ten of them.
#pragma once

#include "ccgraph/passes/pass_manager.h"

namespace ccgraph {

struct Advice {
  /// "17.2 GiB of memory", "-O3", "a group of their own for the all_gather of group 0"
  std::string change;
  /// of ccgraph-opt, beside those that were given: "--memory-budget 17.2GiB"
  std::string flags;
  /// picoseconds of the step with it, and how many less than without
  int64_t total = 0;
  int64_t saved = 0;
  /// bytes that it needs more at the peak; negative: fewer
  int64_t moreMemory = 0;
};

struct AdviceQuestion {
  /// before any pass, with its groups
  const Graph &input;
  const Pipeline &pipeline;
  /// 0 to 3 where the pipeline is that of a level
  std::optional<unsigned> level;
  /// as it was run
  PassManagerOptions options;
  /// picoseconds that it took, and bytes at the peak
  int64_t total = 0;
  int64_t peakBytes = 0;
};

/// What saves a hundredth of the step or more, most first.
[[nodiscard]] std::vector<Advice> advise(const AdviceQuestion &question);

} // namespace ccgraph
