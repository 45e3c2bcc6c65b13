// The options of ccgraph-opt's command line.
//
// Ownership: plain values, filled by parseOptOptions. Failure: a usage error of one line, with a note if the flag
// resembles another. Cost: negligible.
#pragma once

#include "ccgraph/toolkit/bound_sizes.h"
#include "ccgraph/toolkit/split_group.h"
#include "driver/pipeline_flags.h"
#include "driver/view_flags.h"

#include <optional>
#include <string>

namespace ccgraph::driver {

/// The level that runs if neither -O nor --pipeline is given.
inline constexpr unsigned defaultLevel = 2;

/// The form of the output. The first two are graphs, which every tool reads back. Schedule records the decisions, and
/// Chakra is an execution trace for simulators. The others are plans.
enum class OutputFormat : uint8_t { Json, FxText, Schedule, Chakra, Plan, PlanText, PlanDot };
[[nodiscard]] constexpr bool isPlanFormat(OutputFormat format) { return format >= OutputFormat::Plan; }

/// Each field holds the value of one flag; the flag's help (opt_options.cpp) describes the fields without a comment.
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
  std::string schedule; ///< --schedule, applied in place of a pipeline
  std::string compare;  ///< a graph that replaces the result of the passes
  std::string helpPass;
  std::string reproducer;
  /// topic, empty for the first screen; no value: help was not requested
  std::optional<std::string> help;
  PipelineFlags pipeline;
  ViewFlags views;
  /// ranks of --check-equivalence; 0: not requested
  size_t equivalenceRanks = 0;
  size_t seed = 0;
  std::vector<std::string> kernels;
  /// most lines of --exposed, 0 for all; no value: not asked for
  std::optional<size_t> exposed;
  bool csv = false;
  bool advise = false;
  std::vector<GroupSplit> splits;
  SymbolValues sizes;                  ///< --bind
  std::vector<std::string> measured;   ///< --measured
  std::vector<std::string> stepGraphs; ///< --step-graphs: of the traces
  std::string memorySnapshot;          ///< --snapshot
  std::string fitMachine;              ///< --fit-machine: the name of the machine; empty: not requested
  /// with --fit-machine and without --measured: files of timed collectives
  std::vector<std::string> timedFiles;
  /// streams for collectives in a plan; 0: one for each group
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

  /// Returns true if the run writes graphs; otherwise its result is the summary.
  [[nodiscard]] bool writesGraphs() const { return !output.empty() || !emit.empty(); }
  /// Returns true if the output is a schedule.
  [[nodiscard]] bool writesSchedule() const { return writesGraphs() && format() == OutputFormat::Schedule; }
  /// Returns true if the outputs are plans.
  [[nodiscard]] bool writesPlans() const { return writesGraphs() && isPlanFormat(format()); }
  /// Returns true if the run prints the summary. A run that writes no graph and shows no differences prints the summary
  /// as its result.
  [[nodiscard]] bool printsSummary() const {
    bool shows = summary || json || exposed || advise || (!writesGraphs() && !views.diff);
    return !verifyOnly && compare.empty() && shows;
  }
  /// Returns the number of exposed collectives that are explained: the summary lists three, a report page all.
  [[nodiscard]] size_t explainedCollectives() const;
  [[nodiscard]] bool writesToStdout() const { return writesGraphs() && (output.empty() || output == "-"); }
  /// Returns the format of --emit, else the format of the output's name: FX text for .py, a plan for .plan.json, a
  /// schedule for .schedule.json, an execution trace for .et, otherwise JSON.
  [[nodiscard]] OutputFormat format() const;
  /// Returns true if other options are tried to give advice; a report page shows the advice too. With a schedule, no
  /// other option is tried.
  [[nodiscard]] bool wantsAdvice() const { return advise || (!views.report.empty() && schedule.empty()); }
};

/// Declares the flags; `options` must outlive the command line.
[[nodiscard]] CommandLine optCommandLine(OptOptions &options);
/// Fills the options and checks that they are consistent.
[[nodiscard]] llvm::Error parseOptOptions(CommandLine &line, OptOptions &options,
                                          llvm::ArrayRef<const char *> arguments);

} // namespace ccgraph::driver
