// The options of ccgraph-check's command line.
//
// Ownership: plain values. Failure: a usage error of one line with its repair. Cost: negligible.
#pragma once

#include "ccgraph/equality/same_step.h"
#include "ccgraph/jobs/semantics.h"
#include "driver/command_line.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph::driver {

/// Each field holds the value of one flag; empty texts and lists mean that the flag was not given.
struct CheckOptions {
  std::vector<std::string> groups;
  /// names of semantics; empty: all
  std::vector<std::string> under;
  /// 0: not given
  size_t ranks = 0;
  bool json = false;
  /// repeat each job on the local engine
  bool replay = false;
  /// 0: not given
  size_t maxResident = 0;
  // of jobs: files
  std::string dot;
  std::string report;
  // of jobs and contracts: a file
  std::string sarif;
  // of contracts: files, and a machine
  std::string expect;
  std::string writeContract;
  // of contracts and of jobs: a machine
  std::string machine;
  /// stages of a pipeline schedule; 0: not given
  size_t stages = 0;
  /// the file with the graphs of its stages
  std::string stageGraphs;
  /// without graphs: the type of what a stage sends to the next
  std::string stageSizes;
  // of the comparison with another step: files; empty: not asked for
  std::vector<std::string> sameAs;
  // of the other step, where it is a parallel form
  std::vector<std::string> sameAsGroups;
  std::string sameAsPlacements;
  /// 0: not given
  size_t sameAsRanks = 0;
  std::string placements;
  /// evaluations; 0: not given
  size_t trials = 0;
  /// list which outputs are bitwise equal, and the bounds of the others
  bool numerics = false;
  /// any, local or mpi: the engine whose order of sums counts; empty: not given
  std::string engine;
  /// automatic, own or reduced; empty: not given
  std::string sizes;
  /// place each value of a step on the axes of its mesh
  bool inferPlacements = false;
  /// topic, empty for the first screen; no value: help was not requested
  std::optional<std::string> help;
  bool version = false;

  /// The input must be a schedule.
  [[nodiscard]] bool isOfSchedule() const { return stages != 0 || !stageGraphs.empty() || !stageSizes.empty(); }
  [[nodiscard]] bool isOfContract() const { return !expect.empty() || !writeContract.empty(); }
  /// Returns the semantics that `under` names, or all; valid after checkCheckUsage.
  [[nodiscard]] std::vector<jobs::Semantics> semantics() const;
  /// Returns the choice that `sizes` names; empty if it names none.
  [[nodiscard]] std::optional<equality::StepSizesChoice> sizesOfSteps() const;
};

/// Declares the flags, which write into `options`.
[[nodiscard]] CommandLine declareCheckFlags(CheckOptions &options);

/// Checks the options after parsing.
[[nodiscard]] llvm::Error checkCheckUsage(const CheckOptions &options, llvm::ArrayRef<std::string> positional);

} // namespace ccgraph::driver
