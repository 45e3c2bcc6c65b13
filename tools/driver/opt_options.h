// What the command line of ccgraph-opt can say.
//
// Ownership: plain values, filled by parseOptOptions. Failure: an error of one line, and a note where a flag resembles
// another; it is one of usage. Cost: none worth naming.
#pragma once

#include "ccgraph/toolkit/bound_sizes.h"
#include "ccgraph/toolkit/split_group.h"
#include "driver/pipeline_flags.h"
#include "driver/view_flags.h"

#include <optional>
#include <string>

namespace ccgraph::driver {

/// The level that runs where neither -O nor --pipeline is given.
inline constexpr unsigned defaultLevel = 2;

/// What is written: a graph in the first two forms, which every tool reads back; what was decided about it; else the plan that it
/// becomes.
enum class OutputFormat : uint8_t { Json, FxText, Schedule, Plan, PlanText, PlanDot };
[[nodiscard]] constexpr bool isPlanFormat(OutputFormat format) { return format >= OutputFormat::Plan; }

/// Each field is what one flag says; those without a comment are what the flag's help says (opt_options.cpp).
struct OptOptions {
  std::string input;
  /// all flags, in their order
  std::vector<report::GivenFlag> given;
  /// -o; empty: no graph is written unless --emit is given
  std::string output;
  /// --emit; empty: by the extension of the output
  std::string emit;
  /// --graph, a name or an index; empty: every graph of the file
  std::string selector;
  std::string groups;
  std::string values;
  std::string schedule; ///< --schedule, what to do in place of a pipeline
  std::string compare;  ///< a graph that stands for what the passes would make
  std::string helpPass;
  std::string reproducer;
  /// topic, maybe empty for the first screen; no value: help is not asked for
  std::optional<std::string> help;
  PipelineFlags pipeline;
  ViewFlags views;
  /// ranks of --check-equivalence; 0: not asked for
  size_t equivalenceRanks = 0;
  size_t seed = 0;
  std::vector<std::string> kernels;
  /// most lines of --exposed, 0 for all; no value: not asked for
  std::optional<size_t> exposed;
  bool csv = false;
  bool advise = false;
  std::vector<GroupSplit> splits;
  SymbolValues sizes; ///< --bind
  /// of collectives, of a plan; 0: one for each group
  size_t streams = 0;
  bool summary = false;
  bool json = false;
  bool timing = false;
  bool printAfterChange = false;
  /// the phase of lowering after which the plan is printed; empty: none
  std::string printPlanAfter;
  bool dropTypes = false;
  bool verifyOnly = false;
  bool strict = false;
  bool listGraphs = false;
  bool listPasses = false;
  bool version = false;

  /// True if the run is to write graphs; where it is not, its result is the summary.
  [[nodiscard]] bool writesGraphs() const { return !output.empty() || !emit.empty(); }
  /// True if what is written is a schedule.
  [[nodiscard]] bool writesSchedule() const { return writesGraphs() && format() == OutputFormat::Schedule; }
  /// True if these are to be plans.
  [[nodiscard]] bool writesPlans() const { return writesGraphs() && isPlanFormat(format()); }
  /// The result of a run is the graph where one is written, or what has changed, and the summary where neither is.
  [[nodiscard]] bool printsSummary() const {
    bool shows = summary || json || exposed || advise || (!writesGraphs() && !views.diff);
    return !verifyOnly && compare.empty() && shows;
  }
  [[nodiscard]] bool writesToStdout() const { return writesGraphs() && (output.empty() || output == "-"); }
  /// As --emit says, else by the output's name: FX text for .py, a plan for .plan.json, a schedule for .schedule.json, otherwise JSON.
  [[nodiscard]] OutputFormat format() const;
  /// True if it is tried what else would help: a page says so too. Where a schedule says what is done, nothing else is tried.
  [[nodiscard]] bool wantsAdvice() const { return advise || (!views.report.empty() && schedule.empty()); }
};

/// Declares the flags; `options` must outlive the command line.
[[nodiscard]] CommandLine optCommandLine(OptOptions &options);
/// Fills the options and checks that they make sense together.
[[nodiscard]] llvm::Error parseOptOptions(CommandLine &line, OptOptions &options,
                                          llvm::ArrayRef<const char *> arguments);

} // namespace ccgraph::driver
