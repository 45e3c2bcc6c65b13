// advise finds other ways to shorten a step, by trying them.
//
// A schedule is the best that was found for a program, a machine, a memory budget and a pipeline. Only the user can
// change these: more or less memory, a longer search, a separate group for collectives that queue behind others, or an
// all_reduce in two halves, which may add numbers in another order. Each change is tried on a copy of the program with
// the same passes and checks, so the user gets the reported result with the given flags.
//
// Ownership: plain values; `input` is not changed. Failure: none; a change that cannot be tried gives no advice. Cost:
// one run of the pipeline for each change that is tried, about twelve in all.
#pragma once

#include "ccgraph/passes/pass_manager.h"

namespace ccgraph {

struct Advice {
  /// "17.2 GiB of memory (3 results kept, 1.5 GiB)", "-O3", "a group of their own for the all_gather of group 0"
  std::string change;
  /// flags of ccgraph-opt, in addition to the given ones: "--memory-budget 17.2GiB"
  std::string flags;
  /// of more or less memory: what the passes then exchange between memory and time; else empty
  std::string exchanges;
  /// picoseconds of the step with the change, and how many fewer than without; negative: more
  int64_t total = 0;
  int64_t saved = 0;
  /// additional bytes at the peak; negative: fewer
  int64_t moreMemory = 0;
};

struct AdviceQuestion {
  /// the graph before any pass, with its groups
  const Graph &input;
  const Pipeline &pipeline;
  /// 0 to 3 if the pipeline is that of a level
  std::optional<unsigned> level;
  /// options of the run
  PassManagerOptions options;
  /// picoseconds of the step, and bytes at the peak
  int64_t total = 0;
  int64_t peakBytes = 0;
};

/// Returns the changes that save at least a hundredth of the step, largest saving first, and then the least memory of
/// 80, 90 and 95 % of the present peak that suffices, with what it costs.
[[nodiscard]] std::vector<Advice> advise(const AdviceQuestion &question);

} // namespace ccgraph
